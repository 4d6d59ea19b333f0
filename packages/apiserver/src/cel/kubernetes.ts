import { Environment } from './environment.ts';
import { authorization } from './libraries/authorizer.ts';
import { formats } from './libraries/formats.ts';
import { lists } from './libraries/lists.ts';
import { net } from './libraries/net.ts';
import { operators } from './libraries/operators.ts';
import { optionals } from './libraries/optionals.ts';
import { regex } from './libraries/patterns.ts';
import { quantities } from './libraries/quantities.ts';
import { sets } from './libraries/sets.ts';
import { standard } from './libraries/standard.ts';
import { strings } from './libraries/strings.ts';
import { times } from './libraries/times.ts';
import { urls } from './libraries/urls.ts';
import { versions } from './libraries/versions.ts';

/** What every expression of Kubernetes 1.36 can use. It has no variables; rules and policies add theirs. */
export const kubernetes = Environment.empty.extend({
  libraries: [
    operators,
    standard,
    times,
    optionals,
    strings,
    lists,
    sets,
    regex,
    urls,
    quantities,
    net,
    formats,
    versions,
    authorization,
  ],
});
