import { type ScriptedAnswer } from './scripted-platform.js';

/** A login that succeeds with a token and one cookie. */
export function loginAnswer(token = 'token-1', cookie = 'JSESSIONID=one; Path=/; HttpOnly'): ScriptedAnswer {
  return { status: 204, headers: { 'X-SVC-AuthToken': token, 'Set-Cookie': cookie } };
}

/** An error as the platform words it. */
export function errorAnswer(
  status: number,
  code: string,
  message = 'It went wrong',
  more: object = {},
): ScriptedAnswer {
  return { status, body: { code, message, ticketId: '0123456789abcdef0123456789abcdef', ...more } };
}

/** A redirect to a place. */
export function redirectTo(location: string, status = 302): ScriptedAnswer {
  return { status, headers: { location } };
}
