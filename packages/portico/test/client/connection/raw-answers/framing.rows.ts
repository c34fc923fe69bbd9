import { head } from '../../../support/embedded-platform/raw-answer-server.js';
import { BROKEN, CUT, JSON_BODY, ok, type Row, VALUE, value } from './row.js';

const CHUNKED = `a\r\n${JSON_BODY}\r\n0\r\n\r\n`;
const ODD_BODY = 'content-length:\t3\r\t';
const NO_CONTENT = { status: 204, text: '' };
const chunked = (body: string, ...fields: string[]): string =>
  ok('Transfer-Encoding: chunked', ...fields) + body;

/** Where an answer ends. */
export const FRAMING: readonly Row[] = [
  { title: 'a length', parts: value(), gives: VALUE },
  { title: 'a length with spaces around it', parts: ok('Content-Length:  10 ') + JSON_BODY, gives: VALUE },
  {
    title: 'a length with tabs around it',
    parts: ok('Content-Length:\t10\t \t') + JSON_BODY,
    gives: VALUE,
    by: { undici: BROKEN },
  },
  { title: 'a length with a tab within it', parts: ok('Content-Length: 1\t0') + JSON_BODY, gives: BROKEN },
  {
    title: 'an end within a chunk, after Connection: close',
    parts: chunked('1\r\n[\r\n', 'Connection: close'),
    then: 'close',
    gives: CUT,
  },
  {
    title: 'an end within the size of a chunk, after Connection: close',
    parts: chunked('C', 'Connection: close'),
    then: 'close',
    gives: CUT,
  },
  {
    title: 'chunks with a tab before their name',
    parts: ok('Transfer-Encoding:\tchunked') + CHUNKED,
    gives: VALUE,
  },
  {
    title: 'chunks with a tab within their codings',
    parts: ok('Transfer-Encoding: identity,\tchunked') + CHUNKED,
    gives: BROKEN,
  },
  // Node removes the tab before anybody else sees it, and then takes the chunks for the body, which is not JSON.
  ...['chunked\t', ' \tchunked\t \t'].map((coding): Row => ({
    title: `chunks with a tab after their name: ${JSON.stringify(coding)}`,
    parts: ok(`Transfer-Encoding:${coding}`) + CHUNKED,
    then: 'close',
    gives: BROKEN,
    by: { got: { status: 200, text: CHUNKED } },
  })),
  ...['chunked,', 'chunked, identity', 'chunked\r\nTransfer-Encoding: gzip', 'chunked;q=1', '"chunked"'].map(
    (coding): Row => ({
      title: `chunks with something else around them: ${JSON.stringify(coding)}`,
      parts: ok(`Transfer-Encoding: ${coding}`) + CHUNKED,
      then: 'close',
      gives: BROKEN,
    }),
  ),
  { title: 'an empty transfer coding', parts: value('Transfer-Encoding:'), gives: BROKEN },
  {
    title: 'an empty transfer coding before chunks',
    parts: ok('Transfer-Encoding: \t', 'Transfer-Encoding: chunked') + CHUNKED,
    gives: BROKEN,
  },
  {
    title: 'an empty transfer coding, cut after it',
    parts: 'HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n',
    then: 'close',
    gives: CUT,
  },
  {
    title: 'an empty transfer coding, cut in the next line',
    parts: 'HTTP/1.1 200 OK\r\ntransfer-ENCODING: \r\nX',
    then: 'close',
    gives: BROKEN,
    by: { undici: CUT },
  },
  {
    title: 'an empty transfer coding in an interim response',
    parts: head('HTTP/1.1 103 Early Hints', 'Transfer-Encoding:') + value(),
    gives: BROKEN,
    by: { undici: VALUE },
  },
  {
    title: 'a body of tabs and carriage returns, which are not touched',
    parts: ok(`Content-Length: ${ODD_BODY.length}`) + ODD_BODY,
    gives: { status: 200, text: ODD_BODY },
  },
  { title: 'a length with leading zeros', parts: ok('Content-Length: 0010') + JSON_BODY, gives: VALUE },
  { title: 'a length of zero', parts: ok('Content-Length: 0'), gives: { status: 200, text: '' } },
  {
    title: 'a length that is too small',
    parts: ok('Content-Length: 4') + '[{}]{}',
    gives: { status: 200, text: '[{}]' },
    by: { got: BROKEN },
    whenSlow: { status: 200, text: '[{}]' },
  },
  {
    title: 'a length that is too small, on a connection that closes',
    parts: ok('Content-Length: 4', 'Connection: close') + '[{}]{}',
    then: 'close',
    gives: { status: 200, text: '[{}]' },
    by: { got: BROKEN },
    whenSlow: { status: 200, text: '[{}]' },
  },
  {
    title: 'a length that is too large',
    parts: ok('Content-Length: 50') + JSON_BODY,
    then: 'close',
    gives: CUT,
  },
  { title: 'the same length twice', parts: value('Content-Length: 10'), gives: BROKEN },
  { title: 'two lengths', parts: value('Content-Length: 11'), gives: BROKEN },
  { title: 'a list of lengths', parts: ok('Content-Length: 10, 10') + JSON_BODY, gives: BROKEN },
  { title: 'a negative length', parts: ok('Content-Length: -1') + JSON_BODY, gives: BROKEN },
  { title: 'a length with a sign', parts: ok('Content-Length: +10') + JSON_BODY, gives: BROKEN },
  { title: 'a length that is a word', parts: ok('Content-Length: ten') + JSON_BODY, gives: BROKEN },
  { title: 'an empty length', parts: ok('Content-Length:') + JSON_BODY, gives: BROKEN },
  {
    title: 'a length beyond 64 bits',
    parts: ok('Content-Length: 99999999999999999999') + JSON_BODY,
    gives: BROKEN,
  },
  { title: 'no length, until the connection closes', parts: ok() + JSON_BODY, then: 'close', gives: VALUE },
  {
    title: 'no length, and Connection: close',
    parts: ok('Connection: close') + JSON_BODY,
    then: 'close',
    gives: VALUE,
  },
  { title: 'no length, and a reset', parts: ok() + JSON_BODY, then: 'reset', gives: VALUE },
  { title: 'chunks', parts: chunked(CHUNKED), gives: VALUE },
  {
    title: 'chunks in capitals',
    parts: ok('TRANSFER-ENCODING: CHUNKED') + CHUNKED.toUpperCase().replace('"ID"', '"id"'),
    gives: VALUE,
  },
  {
    title: 'chunks with extensions',
    parts: chunked(`a;x=y;z="1"\r\n${JSON_BODY}\r\n0;end\r\n\r\n`),
    gives: VALUE,
  },
  {
    title: 'chunk sizes with leading zeros',
    parts: chunked(`000a\r\n${JSON_BODY}\r\n000\r\n\r\n`),
    gives: VALUE,
  },
  {
    title: 'chunks with trailers, which are not headers',
    parts: chunked(`a\r\n${JSON_BODY}\r\n0\r\nX-SVC-AuthToken: late\r\n\r\n`, 'Trailer: X-SVC-AuthToken'),
    gives: VALUE,
  },
  { title: 'a broken trailer', parts: chunked(`a\r\n${JSON_BODY}\r\n0\r\nX Y: 1\r\n\r\n`), gives: BROKEN },
  { title: 'chunks and a length', parts: chunked(CHUNKED, 'Content-Length: 3'), gives: BROKEN },
  { title: 'chunks without their size', parts: chunked('zz\r\n'), gives: BROKEN },
  { title: 'a chunk size in C notation', parts: chunked(`0xa\r\n${JSON_BODY}\r\n0\r\n\r\n`), gives: BROKEN },
  { title: 'a chunk size with a space', parts: chunked(`a \r\n${JSON_BODY}\r\n0\r\n\r\n`), gives: BROKEN },
  {
    title: 'a chunk size beyond 64 bits',
    parts: chunked(`fffffffffffffffff\r\n${JSON_BODY}`),
    gives: BROKEN,
  },
  { title: 'a chunk without its end', parts: chunked(`a\r\n${JSON_BODY}0\r\n\r\n`), gives: BROKEN },
  { title: 'chunks with bare line feeds', parts: chunked(CHUNKED.replaceAll('\r', '')), gives: BROKEN },
  { title: 'the end within a chunk', parts: chunked('a\r\n{'), then: 'close', gives: CUT },
  { title: 'the end between chunks', parts: chunked('1\r\n[\r\n'), then: 'close', gives: CUT },
  {
    title: 'a reset within the body',
    parts: ok('Content-Length: 50') + JSON_BODY,
    then: 'reset',
    gives: CUT,
  },
  {
    title: '204 with a length of zero',
    parts: head('HTTP/1.1 204 No Content', 'Content-Length: 0'),
    gives: NO_CONTENT,
  },
  {
    title: '204 with an empty chunked body in the same packet',
    parts: head('HTTP/1.1 204 No Content', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
    gives: NO_CONTENT,
  },
  {
    title: '204 with an empty chunked body in the next packet',
    parts: [head('HTTP/1.1 204 No Content', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
    gives: NO_CONTENT,
  },
  {
    title: '204 with a length and a body in the same packet',
    parts: head('HTTP/1.1 204 No Content', 'Content-Length: 2') + '{}',
    gives: NO_CONTENT,
  },
  {
    title: '204 with a length and a body in the next packet',
    parts: [head('HTTP/1.1 204 No Content', 'Content-Length: 2'), '{}'],
    gives: NO_CONTENT,
  },
  {
    title: '204 with a body that it does not announce',
    parts: head('HTTP/1.1 204 No Content') + '{}',
    gives: NO_CONTENT,
  },
  {
    title: '304 with a body',
    parts: head('HTTP/1.1 304 Not Modified', 'Content-Length: 2') + '{}',
    gives: { kind: 'protocol', status: 304 },
  },
  {
    title: '205 with a body',
    parts: head('HTTP/1.1 205 Reset', 'Content-Length: 2') + '{}',
    gives: { status: 205, text: '{}' },
  },
  {
    title: 'a second answer in the same packet',
    parts: value() + value('X-SVC-AuthToken: other'),
    gives: VALUE,
  },
  {
    title: '204 and a second answer in the same packet',
    parts: head('HTTP/1.1 204 OK') + value(),
    gives: NO_CONTENT,
  },
  {
    title: 'bytes that are no answer after it',
    parts: value() + 'more',
    gives: VALUE,
    by: { got: BROKEN },
    whenSlow: VALUE,
  },
  { title: 'empty lines after it', parts: value() + '\r\n\r\n', gives: VALUE },
];
