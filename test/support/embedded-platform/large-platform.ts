import {
  type ScriptedPlatform,
  startScriptedPlatform,
} from '../../../packages/portico/test/support/embedded-platform/scripted-platform.js';

/** A platform where anyone may log in and everyone has many projects. */
export function startLargePlatform(count: number, raw: object = {}): Promise<ScriptedPlatform> {
  const projects = JSON.stringify(
    Array.from({ length: count }, (_, number) => ({ ...largeProject(number), ...raw })),
  );
  return startScriptedPlatform(
    {
      'POST auth/login': { status: 204, headers: { 'x-svc-authtoken': 'token-of-a-large-user' } },
      'POST auth/logout': { status: 204 },
      'GET projects': { status: 200, headers: { 'content-type': 'application/json' }, body: projects },
      'GET sessions/userInfo': { status: 200, body: { id: 'user', fullName: 'A User' } },
      'GET sessions': { status: 200, body: { id: 'user', timeout: 1800 } },
    },
    { remembers: false },
  );
}

function largeProject(number: number): object {
  return {
    id: String(number).padStart(32, 'A'),
    name: `Project ${number}`,
    alias: '',
    description: `What project ${number} is for, in a sentence that people wrote.`,
    status: 0,
    dateCreated: '2015-06-30T21:55:35.000+0000',
    dateModified: '2020-01-31T08:15:00.000+0000',
    owner: { id: String(number % 40).padStart(32, 'B'), name: `Owner ${number % 40}` },
  };
}
