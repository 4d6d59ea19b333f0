import { expect, it } from 'vitest';
import { select } from './select.ts';

const object = (name: string, app: string, containers: readonly string[]) => ({
  metadata: { name, labels: { 'example.org/app': app } },
  spec: { containers: containers.map((image) => ({ image })), note: `${name}, "${app}"` },
});
const OBJECTS = [
  object('web-2', 'shop', ['nginx', 'busybox']),
  object('web', 'mail', ['nginx']),
  object('db', 'shop', ['postgres']),
];

const names = (query: string) =>
  select(OBJECTS, new URLSearchParams(query)).items.map(({ metadata: { name } }) => name);

it.each<[what: string, query: string, expected: string[]]>([
  ['a part of the value', 'filter=metadata.name=web', ['web-2', 'web']],
  ['a part of the value, in double quotes', 'filter=metadata.name="web"', ['web-2', 'web']],
  ['the whole value, in single quotes', "filter=metadata.name='web'", ['web']],
  ['all but a whole value', "filter=metadata.name!='web'", ['web-2', 'db']],
  ['one of several values, parted by commas', "filter=metadata.name='web',metadata.name=db", ['web', 'db']],
  ['a value with a comma, in quotes', 'filter=spec.note="web, "', ['web']],
  ['a value with a quote in it', "filter=spec.note=it's,metadata.name='db'", ['db']],
  ['each of several filters', 'filter=metadata.name=web&filter=metadata.labels[example.org/app]=shop', ['web-2']],
  ['a field of any item of a list', 'filter=spec.containers.image=busybox', ['web-2']],
  ['a field of no item of a list', 'filter=spec.containers.image!=nginx', ['db']],
  ['an item of a list by its number', 'filter=spec.containers[1].image=busybox', ['web-2']],
  ['nothing, where the field is missing', 'filter=spec.nodeName=a', []],
])('a filter finds %s', (_, query, expected) => {
  expect(names(query)).toEqual(expected);
});

it.each<[what: string, query: string, expected: string[]]>([
  ['a field', 'sort=metadata.name', ['db', 'web', 'web-2']],
  ['a field, from the end', 'sort=-metadata.name', ['web-2', 'web', 'db']],
  [
    'a label with dots in its name, then another field',
    'sort=-metadata.labels[example.org/app],metadata.name',
    ['db', 'web-2', 'web'],
  ],
  ['a field that is missing leaves the order', 'sort=spec.nodeName', ['web-2', 'web', 'db']],
])('objects are sorted by %s', (_, query, expected) => {
  expect(names(query)).toEqual(expected);
});

it.each<[what: string, query: string, expected: string[], pages: number | undefined]>([
  ['the first', 'pagesize=2', ['web-2', 'web'], 2],
  ['the last', 'pagesize=2&page=2', ['db'], 2],
  ['one past the end', 'pagesize=2&page=3', [], 2],
  ['one of those that a filter leaves', 'filter=metadata.name=web&pagesize=1&page=2', ['web'], 2],
  ['no page', 'page=0&pagesize=none', ['web-2', 'web', 'db'], 1],
])('a page: %s', (_, query, expected, pages) => {
  expect(names(query)).toEqual(expected);
  expect(select(OBJECTS, new URLSearchParams(query)).pages).toBe(pages);
});
