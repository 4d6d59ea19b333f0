/** Expressions with the answers of cel-go 0.32 in the environment of kube-apiserver 1.36, for tests and fuzzers. */
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

const text: JSONSchemaProps = { type: 'string' };
const int: JSONSchemaProps = { type: 'integer' };

/** The schema that the expressions are compiled with. */
export const schema: JSONSchemaProps = {
  type: 'object',
  properties: {
    a: { type: 'string', maxLength: 10 },
    n: int,
    l: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 3 } },
    m: { type: 'object', additionalProperties: int },
    o: { type: 'object', properties: { b: text, c: text } },
    ios: { 'x-kubernetes-int-or-string': true },
    d: { type: 'number' },
    t: { type: 'string', format: 'date-time' },
    u: { type: 'string', format: 'duration' },
    y: { type: 'string', format: 'byte' },
    nu: { type: 'string', nullable: true },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ml: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: text, v: int } },
    },
    'a-b': text,
    in: text,
    namespace: text,
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

/** The value that they see as `self`. */
export const self = {
  a: 'hello',
  n: 5,
  l: ['a', 'b'],
  m: { x: 1, y: 2 },
  o: { c: 'cc' },
  ios: '5%',
  d: 2.5,
  t: '2024-02-29T10:11:12.345Z',
  u: '1h30m',
  y: 'aGk=',
  nu: null,
  set: ['x', 'y'],
  ml: [{ k: 'p', v: 1 }, { k: 'q' }],
  'a-b': 'dashed',
  in: 'reserved',
  namespace: 'keyword',
  any: { b: 1 },
};

/** Expressions that are true, by what they are about. */
export const truths: Readonly<Record<string, readonly string[]>> = {
  literals: [
    '0x1F == 31 && 0u == uint(0) && 1e3 == 1000.0',
    `'a\\u00e9\\x41\\101\\n'.size() == 5 && r'\\n'.size() == 2`,
    `"""a "quoted" word""" == 'a "quoted" word' && b'\\xff'.size() == 1`,
    `[1, 2,] == [1, 2] && {'a': 1,} == {'a': 1} && null == null`,
    `type(1) == int && type([]) == list && type(type(1)) == type`,
  ],
  operators: [
    '1 + 2 * 3 - 4 / 2 == 5 && -7 / 2 == -3 && -7 % 3 == -1',
    'dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) != dyn("1") && 0.1 + 0.2 != 0.3',
    'true || 1 / 0 == 1',
    '1 / 0 == 1 || true',
    '!(false && 1 / 0 == 1)',
    `1 < 2u && 1.5 > 1 && 'a' < 'b' && b'a' < b'b' && false < true`,
    `2 in [1, 2] && 'x' in self.m && !('z' in self.m) && (self.n > 3 ? 'big' : 'small') == 'big'`,
    `'a' + 'b' == 'ab' && [1] + [2] == [1, 2] && b'a' + b'b' == b'ab'`,
    `timestamp('2024-01-01T00:00:00Z') + duration('1h') == timestamp('2024-01-01T01:00:00Z')`,
    `[dyn(1), dyn('a'), dyn({'b': [2.0]})] == [dyn(1.0), dyn('a'), dyn({'b': [2]})]`,
    `dyn(1) != ip('::1') && dyn(ip('::1')) != 1 && dyn(self.l) != 1 && !(dyn(1) in [dyn(ip('::1'))]) && !(dyn(ip('::1')) in [dyn(1)])`,
    // Elements that cannot be compared pass for equal.
    `[dyn(ip('::1'))] == [dyn(1)] && {'a': dyn(self.l)} == {'a': dyn(1)} && [dyn(ip('::1')), dyn(1)] != [dyn(1), dyn(2)]`,
    `[dyn(1), dyn('x')].max() == 1 && ![dyn(2), dyn(1), dyn(['x'])].isSorted()`,
  ],
  fields: [
    'has(self.o.c) && !has(self.o.b) && !has(self.nu) && self.o.c == "cc"',
    `self.a__dash__b == 'dashed' && self.__in__ == 'reserved'`,
    `self.namespace == 'keyword' && self.__namespace__ == 'keyword' && has(self.namespace)`,
    `self.ios == '5%' && type(self.ios) == string`,
    `self.set == ['y', 'x'] && self.set + ['x', 'z'] == ['x', 'z', 'y']`,
    `self.ml == [self.ml[1], self.ml[0]] && (self.ml + self.ml).size() == 2`,
    `self.m.x == 1 && self.m['y'] == 2 && self.t.getFullYear() == 2024 && self.u == duration('90m')`,
    `self.y == b'hi' && string(self.y) == 'hi' && self == self`,
    `self.?o.?b.orValue('none') == 'none' && self.?o.?c == optional.of('cc')`,
    `self.l[?5].hasValue() == false && self.l[?0].value() == 'a' && [?self.?a] == ['hello'] && {?'k': self.?o.?b} == {}`,
  ],
  macros: [
    `self.l.all(x, x < 'c') && self.l.exists(x, x == 'b') && self.l.exists_one(x, x > 'a')`,
    `self.l.map(x, x + '!') == ['a!', 'b!'] && self.l.filter(x, x != 'a') == ['b'] && [1, 2, 3].map(x, x > 1, x * 2) == [4, 6]`,
    `self.m.all(k, self.m[k] > 0) && self.m.exists(k, v, v == 2) && self.l.all(i, x, i < 2)`,
    `[5, 6].transformList(i, v, i * v) == [0, 6] && self.m.transformMap(k, v, v + 1) == {'x': 2, 'y': 3}`,
    `self.m.transformMapEntry(k, v, v > 1, {v: k}) == {2: 'y'} && self.ml.sortBy(e, e.k)[0].v == 1`,
    `[[1, 2], [3]].all(l, l.all(x, l.exists(y, y == x)))`,
    `optional.of(2).optMap(x, x * 2).value() == 4 && optional.none().optFlatMap(x, optional.of(x)) == optional.none()`,
  ],
  conversions: [
    `int('42') == 42 && int(2.9) == 2 && uint('7') == 7u && double('1.5') == 1.5 && string(1.0) == '1' && bool('true')`,
    `'abc'.replace('', '-') == '-a-b-c-' && 'abc'.replace('', '-', 1) == '-abc' && 'abc'.replace('', '-', 3) == '-a-b-c' && ''.replace('', '-', 1) == '-'`,
    `string(duration('90m')) == '5400s' && string(timestamp('2024-01-01T00:00:00.5Z')) == '2024-01-01T00:00:00.5Z'`,
    `int(timestamp('1970-01-01T00:01:00Z')) == 60 && bytes('é').size() == 2 && string(b'\\xc3\\xa9') == 'é' && 'é'.size() == 1`,
    `string(1e300) == '1e+300' && string(-0.0) == '-0' && string(1e20) == '1e+20'`,
  ],
  strings: [
    `'tacocat'.charAt(3) == 'o' && 'tacocat'.indexOf('c', 3) == 4 && 'hello'.lastIndexOf('l') == 3 && 'é1'.indexOf('1') == 1`,
    `'TacoCat'.lowerAscii() == 'tacocat' && 'é'.upperAscii() == 'é' && '  a '.trim() == 'a' && 'hello'.substring(1, 3) == 'el'`,
    `'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b' && 'aaa'.replace('a', 'b', 2) == 'bba' && 'ab'.replace('', '-') == '-a-b-'`,
    `'%s is %d, %.1f, %x and %b'.format(['it', 4, 2.55, 255, true]) == 'it is 4, 2.5, ff and 1'`,
    `'%s'.format([{'b': [1, 'x', 1.5, null], 'a': duration('1m')}]) == '{"a":duration("60s"), "b":[1, "x", 1.500000, null]}'`,
    `'%e|%X|%o'.format([1234.5, 'hi', 8]) == '1.234500×10⁰³|6869|10' && strings.quote('a"b\\n') == '"a\\\\"b\\\\n"'`,
    `self.a.startsWith('he') && self.a.endsWith('lo') && self.a.contains('ell') && self.a.matches('^h.*o$') && !'ab'.matches('^b')`,
    `'abc 123'.find('[0-9]+') == '123' && '1a2b3'.findAll('[0-9]') == ['1', '2', '3'] && '1a2b3'.findAll('[0-9]', 2) == ['1', '2']`,
  ],
  lists: [
    `[1, 2, 3].isSorted() && [1, 2, 3].sum() == 6 && [2, 3, 1].max() == 3 && ['b', 'a'].min() == 'a' && [].sum() == 0`,
    `[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [duration('1s'), duration('2s')].sum() == duration('3s')`,
    `[3, 1, 2].sort() == [1, 2, 3] && [dyn(1), dyn(1.0), dyn(2)].distinct() == [1, 2] && [1, 2, 3].slice(1, 3) == [2, 3] && [1, 2].reverse() == [2, 1]`,
    `[[[1]], [[2], [3]]].flatten(2) == [1, 2, 3] && lists.range(3) == [0, 1, 2] && [1, 2].first() == optional.of(1) && [].last() == optional.none()`,
    `sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([], [])`,
  ],
  times: [
    `timestamp('2024-02-29T10:11:12.345Z').getDayOfYear() == 59 && self.t.getDayOfWeek() == 4 && self.t.getMilliseconds() == 345`,
    `self.t.getHours('America/New_York') == 5 && self.t.getHours('+02:30') == 12 && self.u.getMinutes() == 90 && self.t.getDate() == 29`,
    `string(timestamp('2024-01-01T23:30:00+02:30')) == '2024-01-01T23:30:00+02:30' && timestamp('2024-01-01T23:30:00+02:30').getHours() == 23 && timestamp('2024-01-01T23:30:00+02:30').getHours('UTC') == 21`,
    `string(timestamp('2024-01-01T00:00:00-01:00') + duration('1h')) == '2024-01-01T01:00:00-01:00' && timestamp('2024-01-01T01:00:00+01:00') == timestamp('2024-01-01T00:00:00Z') && string(timestamp('2024-01-01T00:00:00+00:00')) == '2024-01-01T00:00:00Z'`,
  ],
  quantities: [
    `quantity('1.5Gi').isGreaterThan(quantity('1G')) && quantity('500m').add(quantity('0.5')) == quantity('1')`,
    `quantity('1').add(1) == quantity('2') && quantity('2') != quantity('1').add(1) && quantity('2').compareTo(quantity('1').add(1)) == 0`,
    `isQuantity('12e6') && !isQuantity('12 MB') && quantity('50k').compareTo(quantity('50000')) == 0 && sign(quantity('2').sub(3)) == -1`,
  ],
  addresses: [
    `isIP('::1') && !isIP('1.2.3') && ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && ip('10.0.0.1').family() == 4`,
    `cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16')) && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')`,
    `ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1') && string(cidr('::/0').ip()) == '::' && isCIDR('1.2.3.4/32')`,
  ],
  urls: [
    `url('https://user@example.com:80/p%20q?a=1&b=2&a=3#f').getHost() == 'example.com:80' && isURL('/path') && !isURL('../x')`,
    `url('https://[::1]:8080/x').getHostname() == '::1' && url('http://a/b c').getEscapedPath() == '/b%20c' && url('http://a/?k=1&k=2').getQuery()['k'] == ['1', '2']`,
  ],
  formats: [
    `!format.dns1123Label().validate('web-1').hasValue() && format.dns1123Label().validate('A').hasValue() && format.named('uuid').hasValue()`,
    `format.labelValue().validate('-').value()[0].startsWith('a valid label must be') && !format.date().validate('2024-02-29').hasValue()`,
  ],
  versions: [
    `semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('2.0.0').major() == 2 && isSemver('1.0.0+b') && !isSemver('1.0')`,
    `semver('v1.2', true).compareTo(semver('1.2.0')) == 0`,
  ],
};
