/**
 * The rooms of src/, each with the rooms that it may import: the one place where this is decided. The checker takes its
 * rules from this table, and the drawings in CONTRIBUTING.md and docs/architecture.md are made from it.
 *
 * A room is one folder without its subfolders; `src` itself holds the entries. Rooms are listed from the top floor down.
 */
module.exports = {
  '': ['app', 'config', 'errors', 'embedded-platform'],
  app: [
    'http',
    'metrics',
    'console',
    'health',
    'graphql',
    'graphql/errors',
    'auth',
    'projects',
    'credentials',
    'session',
    'platform',
    'config',
    'logging',
  ],

  http: ['errors'],
  metrics: ['metrics/registry', 'auth', 'credentials', 'session', 'session/sealed', 'config', 'errors'],
  console: ['config'],
  health: ['session', 'session/store'],

  graphql: [
    'graphql/documents',
    'graphql/federation',
    'graphql/request',
    'graphql/errors',
    'config',
    'logging',
  ],
  'graphql/documents': ['graphql/request', 'graphql/errors', 'config'],
  'graphql/federation': ['graphql/request', 'graphql/errors', 'config'],
  'graphql/request': ['graphql/errors', 'session', 'session/sealed', 'config'],
  'graphql/errors': ['errors', 'client'],

  auth: ['credentials', 'session', 'session/store', 'errors', 'config', 'client'],
  projects: ['session', 'client'],

  credentials: [
    'credentials/profiles',
    'credentials/providers',
    'credentials/providers/vault',
    'credentials/providers/fetch',
    'session',
    'errors',
    'config',
    'client',
  ],
  'credentials/profiles': [
    'credentials/providers',
    'credentials/providers/fetch',
    'credentials/providers/parameters',
    'client',
  ],
  'credentials/providers': [
    'credentials/providers/vault',
    'credentials/providers/fetch',
    'credentials/providers/failures',
    'credentials/providers/parameters',
    'errors',
    'config',
    'client',
  ],
  'credentials/providers/vault': [
    'credentials/providers/fetch',
    'credentials/providers/failures',
    'credentials/providers/parameters',
    'errors',
    'client',
  ],
  'credentials/providers/fetch': ['credentials/providers/parameters', 'errors', 'client'],
  'credentials/providers/failures': ['errors'],
  'credentials/providers/parameters': ['client'],

  session: ['session/sealed', 'session/memory', 'session/store', 'errors', 'config', 'client'],
  'session/sealed': ['session/memory', 'session/store', 'config/checks'],
  'session/memory': [],
  'session/store': ['config', 'config/settings', 'errors', 'client'],

  platform: ['metrics/registry', 'config', 'client', 'embedded-platform'],
  'metrics/registry': ['client'],

  errors: [],
  config: ['config/settings', 'config/checks'],
  'config/settings': ['config/checks'],
  'config/checks': [],
  logging: [],

  client: [
    'client/managed',
    'client/session',
    'client/session/state',
    'client/connection',
    'client/connection/resilience',
    'client/connection/response',
    'client/errors',
  ],
  'client/managed': ['client/session', 'client/connection', 'client/connection/response', 'client/errors'],
  'client/session': [
    'client/session/state',
    'client/connection',
    'client/connection/response',
    'client/connection/transport',
    'client/json',
    'client/errors',
  ],
  'client/session/state': ['client/connection', 'client/connection/response', 'client/json', 'client/errors'],
  'client/connection': [
    'client/connection/resilience',
    'client/connection/response',
    'client/connection/transport',
    'client/errors',
  ],
  'client/connection/resilience': ['client/connection/response', 'client/errors'],
  'client/connection/response': ['client/json', 'client/errors'],
  'client/connection/transport': ['client/errors'],
  'client/errors': ['client/json'],
  'client/json': [],

  'embedded-platform': [
    'embedded-platform/operations',
    'embedded-platform/sessions',
    'embedded-platform/accounts',
    'embedded-platform/wire',
  ],
  'embedded-platform/operations': [
    'embedded-platform/sessions',
    'embedded-platform/accounts',
    'embedded-platform/wire',
  ],
  'embedded-platform/sessions': ['embedded-platform/accounts', 'embedded-platform/wire'],
  'embedded-platform/accounts': ['embedded-platform/wire'],
  'embedded-platform/wire': [],
};
