import { head } from '../../../support/embedded-platform/raw-answer-server.js';
import { BROKEN, CUT, JSON_BODY, ok, type Row, VALUE, value } from './row.js';

const EARLY_HINTS = head('HTTP/1.1 103 Early Hints', 'Link: </style.css>');
const CONTINUE = head('HTTP/1.1 100 Continue');
const withStatusLine = (line: string): string => `${line}\r\nContent-Length: 10\r\n\r\n${JSON_BODY}`;

/** Status lines, interim responses and header fields. */
export const HEADS: readonly Row[] = [
  { title: 'HTTP/1.0 with a length', parts: withStatusLine('HTTP/1.0 200 OK'), gives: VALUE },
  {
    title: 'HTTP/1.0 until the connection closes',
    parts: `HTTP/1.0 200 OK\r\n\r\n${JSON_BODY}`,
    then: 'close',
    gives: VALUE,
  },
  { title: 'a version that is not known', parts: withStatusLine('HTTP/1.2 200 OK'), gives: BROKEN },
  { title: 'a version in lower case', parts: withStatusLine('http/1.1 200 OK'), gives: BROKEN },
  { title: 'another protocol', parts: 'SSH-2.0-OpenSSH_9\r\n\r\n', gives: BROKEN },
  { title: 'a body without a head', parts: JSON_BODY, then: 'close', gives: BROKEN },
  { title: 'no reason phrase', parts: withStatusLine('HTTP/1.1 200'), gives: VALUE },
  { title: 'an empty reason phrase', parts: withStatusLine('HTTP/1.1 200 '), gives: VALUE },
  { title: 'a reason phrase in UTF-8', parts: withStatusLine('HTTP/1.1 200 \xc3\xa4'), gives: VALUE },
  { title: 'two spaces before the status', parts: withStatusLine('HTTP/1.1  200 OK'), gives: BROKEN },
  { title: 'a status of two digits', parts: withStatusLine('HTTP/1.1 20 OK'), gives: BROKEN },
  { title: 'a status of four digits', parts: withStatusLine('HTTP/1.1 2000 OK'), gives: BROKEN },
  { title: 'status 000', parts: withStatusLine('HTTP/1.1 000 OK'), gives: BROKEN },
  { title: 'status 042', parts: withStatusLine('HTTP/1.1 042 OK'), gives: BROKEN },
  { title: 'status 299', parts: withStatusLine('HTTP/1.1 299 OK'), gives: { status: 299, text: JSON_BODY } },
  { title: 'status 999', parts: withStatusLine('HTTP/1.1 999 No'), gives: { kind: 'unknown', status: 999 } },
  { title: 'an empty line before it', parts: '\r\n' + value(), gives: VALUE },
  { title: 'a byte order mark before it', parts: '\xef\xbb\xbf' + value(), gives: BROKEN },
  { title: 'a 100 that was not asked for', parts: CONTINUE + value(), gives: VALUE },
  { title: 'a 100 in a packet of its own', parts: [CONTINUE, value()], gives: VALUE },
  {
    title: 'a 100 cut within its status',
    parts: ['HTTP/1.1 10', '0 Continue\r\n', '\r', '\n' + value()],
    gives: VALUE,
  },
  { title: 'an empty line and a 100', parts: '\r\n' + CONTINUE + value(), gives: VALUE },
  { title: 'two 100 and a 103', parts: CONTINUE + EARLY_HINTS + CONTINUE + value(), gives: VALUE },
  {
    title: 'a 100 within the body, which is not touched',
    parts: [CONTINUE + ok(`Content-Length: ${CONTINUE.length}`), CONTINUE],
    gives: { status: 200, text: CONTINUE },
  },
  { title: 'a 102', parts: head('HTTP/1.1 102 Processing') + value(), gives: VALUE },
  {
    title: 'a 103 with a token, which does not count',
    parts: head('HTTP/1.1 103 Early Hints', 'X-SVC-AuthToken: early') + value(),
    gives: VALUE,
  },
  { title: '100 interim responses', parts: EARLY_HINTS.repeat(100) + value(), gives: VALUE },
  { title: '101 interim responses', parts: EARLY_HINTS.repeat(101) + value(), gives: BROKEN },
  { title: '5,000 times 100', parts: CONTINUE.repeat(5000) + value(), gives: BROKEN },
  {
    title: 'a 101',
    parts: head('HTTP/1.1 101 Switching', 'Upgrade: x', 'Connection: Upgrade') + 'x',
    gives: BROKEN,
  },
  { title: 'a 101 without its fields', parts: head('HTTP/1.1 101 Switching') + value(), gives: BROKEN },
  { title: 'only a 100', parts: CONTINUE, then: 'close', gives: CUT },
  { title: 'nothing', parts: [], then: 'close', gives: CUT },
  { title: 'a reset', parts: [], then: 'reset', gives: CUT },
  { title: 'half a status line', parts: 'HTTP/1.', then: 'close', gives: CUT },
  { title: 'half a head', parts: 'HTTP/1.1 200 OK\r\nConte', then: 'close', gives: CUT },
  { title: 'names in capitals', parts: ok('CONTENT-LENGTH: 10') + JSON_BODY, gives: VALUE },
  { title: 'a value in Latin-1', parts: value('X-Name: \xe4'), gives: VALUE },
  { title: 'an empty value', parts: value('X-Name:'), gives: VALUE },
  { title: 'tabs around a value', parts: value('X-Name:\ta\t'), gives: VALUE },
  { title: 'a value folded over two lines', parts: value('X-Name: one\r\n  two'), gives: BROKEN },
  { title: 'bare line feeds', parts: value().replaceAll('\r\n', '\n'), gives: BROKEN },
  { title: 'a bare line feed in one field', parts: value('X-Name: a\nX-Other: b'), gives: BROKEN },
  { title: 'a bare carriage return', parts: value('X-Name: a\rb'), gives: BROKEN },
  { title: 'a space before the colon', parts: value('X-Name : a'), gives: BROKEN },
  { title: 'a space within a name', parts: value('X Name: a'), gives: BROKEN },
  { title: 'a name outside ASCII', parts: value('X-\xe4: a'), gives: BROKEN },
  { title: 'a field without a name', parts: value(': a'), gives: BROKEN },
  { title: 'a field without a colon', parts: value('nonsense'), gives: BROKEN },
  { title: 'a NUL within a value', parts: value('X-Name: a\0b'), gives: BROKEN },
  { title: 'a control character within a value', parts: value('X-Name: a\x01b'), gives: BROKEN },
  { title: 'a header of 200 KB', parts: value(`X-Name: ${'a'.repeat(200 * 1024)}`), gives: VALUE },
  { title: 'a header of 300 KB', parts: value(`X-Name: ${'a'.repeat(300 * 1024)}`), gives: BROKEN },
  {
    title: '900 fields',
    parts: value(...Array.from({ length: 900 }, (_, at) => `X-${at}: a`)),
    gives: VALUE,
  },
  {
    title: '1,100 fields',
    parts: value(...Array.from({ length: 1100 }, (_, at) => `X-${at}: a`)),
    gives: BROKEN,
  },
  {
    title: 'Keep-Alive with odd values',
    parts: value('Connection: keep-alive', 'Keep-Alive: timeout=x, max'),
    gives: VALUE,
  },
  {
    title: 'Keep-Alive without any time',
    parts: value('Connection: keep-alive', 'Keep-Alive: timeout=0'),
    gives: VALUE,
  },
  { title: 'an offer to upgrade', parts: value('Upgrade: h2c', 'Connection: Upgrade'), gives: VALUE },
];

/**
 * Answers that end within their status line. They are not mutated by the fuzz: with them it finds a difference that is known
 * and not fixed, see "Known difference" in docs/wire.md.
 */
export const STARTS: readonly Row[] = [
  { title: 'a start that cannot become a status', parts: 'HTTP/1.1  ', then: 'close', gives: BROKEN },
  { title: 'a start with a version that is none', parts: 'HTTP/1.2', then: 'close', gives: BROKEN },
  { title: 'a start that could become a status', parts: 'HTTP/1.1 10', then: 'close', gives: CUT },
];
