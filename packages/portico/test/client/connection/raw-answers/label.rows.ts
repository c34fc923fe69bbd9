import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { JSON_BODY, type Row, VALUE, withBody } from './row.js';

const JSON_TYPE = 'Content-Type: application/json';
const ERROR = '{"code":"ERR009","message":"Expired","ticketId":"0123"}';
const EXPIRED = { kind: 'session-expired', code: 'ERR009', status: 401, ticketId: '0123' };

const coded = (coding: string, body: Uint8Array | string): Uint8Array =>
  withBody('200 OK', [JSON_TYPE, `Content-Encoding: ${coding}`], body);
const failed = (fields: readonly string[], body: Uint8Array | string = ERROR): Uint8Array =>
  withBody('401 Unauthorized', fields, body);
const typed = (type: string, body: Uint8Array | string = JSON_BODY): Uint8Array =>
  withBody('200 OK', [`Content-Type: ${type}`], body);
const withWrongChecksum = (gzip: Buffer): Buffer => gzip.fill(0, gzip.byteLength - 8, gzip.byteLength - 4);
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const UMLAUT = '{"id":"\u00dc"}';
const UMLAUTS = { status: 200, text: UMLAUT };
const EMPTY = { status: 200, text: '' };
const UNREADABLE = { kind: 'protocol', status: 200 };

/** Content codings. */
export const CODINGS: readonly Row[] = [
  { title: 'gzip', parts: coded('gzip', gzipSync(JSON_BODY)), gives: VALUE },
  { title: 'x-gzip in capitals', parts: coded('X-GZIP', gzipSync(JSON_BODY)), gives: VALUE },
  { title: 'deflate', parts: coded('deflate', deflateSync(JSON_BODY)), gives: VALUE },
  { title: 'raw deflate', parts: coded('deflate', deflateRawSync(JSON_BODY)), gives: VALUE },
  { title: 'br', parts: coded('br', brotliCompressSync(JSON_BODY)), gives: VALUE },
  { title: 'zstd', parts: coded('zstd', zstdCompressSync(JSON_BODY)), gives: VALUE },
  { title: 'identity', parts: coded('identity', JSON_BODY), gives: VALUE },
  { title: 'a coding that nobody knows', parts: coded('made-up', JSON_BODY), gives: VALUE },
  { title: 'a charset in place of a coding', parts: coded('UTF-8', JSON_BODY), gives: VALUE },
  { title: 'an empty coding', parts: coded('', JSON_BODY), gives: VALUE },
  { title: 'gzip within gzip', parts: coded('gzip, gzip', gzipSync(gzipSync(JSON_BODY))), gives: VALUE },
  {
    title: 'gzip within br',
    parts: coded('gzip, br', brotliCompressSync(gzipSync(JSON_BODY))),
    gives: VALUE,
  },
  {
    title: 'two fields of codings',
    parts: withBody('200 OK', ['Content-Encoding: gzip', 'Content-Encoding: identity'], gzipSync(JSON_BODY)),
    gives: VALUE,
  },
  {
    title: 'five codings',
    parts: coded(Array(5).fill('gzip').join(), gzipSync(JSON_BODY)),
    gives: UNREADABLE,
  },
  { title: 'gzip of nothing', parts: coded('gzip', gzipSync('')), gives: EMPTY },
  ...['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'made-up'].map((coding) => ({
    title: `${coding} with an empty body`,
    parts: coded(coding, ''),
    gives: EMPTY,
  })),
  ...['gzip', 'deflate', 'br', 'zstd'].map((coding) => ({
    title: `JSON that is only labeled ${coding}`,
    parts: coded(coding, JSON_BODY),
    gives: VALUE,
  })),
  { title: 'gzip labeled deflate', parts: coded('deflate', gzipSync(JSON_BODY)), gives: VALUE },
  {
    title: 'gzip that is cut short',
    parts: coded('gzip', gzipSync(JSON_BODY).subarray(0, 15)),
    gives: UNREADABLE,
  },
  {
    title: 'gzip with a wrong checksum',
    parts: coded('gzip', withWrongChecksum(gzipSync(JSON_BODY))),
    gives: UNREADABLE,
  },
  { title: 'text that is only labeled gzip', parts: coded('gzip', 'not gzip'), gives: UNREADABLE },
  ...[
    ['gzip', gzipSync(ERROR)],
    ['deflate', deflateRawSync(ERROR)],
    ['made-up', ERROR],
    ['gzip', ERROR],
  ].map(([coding, body], at) => ({
    title: `an error under the label ${String(coding)}, ${at}`,
    parts: failed([JSON_TYPE, `Content-Encoding: ${String(coding)}`], body),
    gives: EXPIRED,
  })),
  {
    title: 'an error whose gzip is broken',
    parts: failed([JSON_TYPE, 'Content-Encoding: gzip'], gzipSync(ERROR).subarray(0, 20)),
    gives: { kind: 'protocol', status: 401 },
  },
  {
    title: 'an empty error labeled gzip',
    parts: withBody('503 Busy', ['Content-Encoding: gzip', 'Retry-After: 86400'], ''),
    gives: { kind: 'protocol', status: 503, retryable: true, retryAfterSeconds: 86400 },
  },
];

/** Charsets and content types. */
export const TEXTS: readonly Row[] = [
  { title: 'UTF-8 without a label', parts: typed('application/json', UMLAUT), gives: UMLAUTS },
  {
    title: 'UTF-8 with a byte order mark',
    parts: typed('application/json', `\ufeff${UMLAUT}`),
    gives: UMLAUTS,
  },
  { title: 'a quoted charset', parts: typed('application/json; Charset="UTF8"', UMLAUT), gives: UMLAUTS },
  {
    title: 'Latin-1',
    parts: typed('application/json;charset=ISO-8859-1', Buffer.from(UMLAUT, 'latin1')),
    gives: UMLAUTS,
  },
  {
    title: 'Latin-1 without a label',
    parts: typed('application/json', Buffer.from(UMLAUT, 'latin1')),
    gives: UNREADABLE,
  },
  {
    title: 'UTF-16 with its mark',
    parts: typed('application/json', utf16be(`\ufeff${UMLAUT}`)),
    gives: UMLAUTS,
  },
  {
    title: 'UTF-16, the large end first',
    parts: typed('application/json;charset=utf-16', utf16be(UMLAUT)),
    gives: UMLAUTS,
  },
  {
    title: 'UTF-16LE',
    parts: typed('application/json; charset=utf-16le', Buffer.from(UMLAUT, 'utf16le')),
    gives: UMLAUTS,
  },
  {
    title: 'UTF-16 of an odd length',
    parts: typed('application/json; charset=utf-16le', Buffer.from(`${JSON_BODY}x`)),
    gives: UNREADABLE,
  },
  {
    title: 'a mark against the label',
    parts: typed('text/json;charset=latin1', `\ufeff${UMLAUT}`),
    gives: UMLAUTS,
  },
  {
    title: 'a charset that nobody knows, in Latin-1',
    parts: typed('application/json;charset=klingon', Buffer.from(UMLAUT, 'latin1')),
    gives: UNREADABLE,
  },
  ...["'utf-8'", 'klingon', "'utf-8", '"utf-8', 'utf_8', 'utf8mb4', 'none', "'UTF8'"].map((charset): Row => ({
    title: `UTF-8 that is labeled ${charset}`,
    parts: typed(`application/json;charset=${charset}`, UMLAUT),
    gives: UMLAUTS,
  })),
  {
    title: 'Latin-1 in wrong quotes',
    parts: typed("application/json;charset='iso-8859-1'", Buffer.from(UMLAUT, 'latin1')),
    gives: UMLAUTS,
  },
  { title: 'a type in capitals', parts: typed('APPLICATION/JSON'), gives: VALUE },
  { title: 'an empty type', parts: typed(''), gives: VALUE },
  { title: 'a type of the JSON family', parts: typed('application/vnd.portico.v2+json; q=1'), gives: VALUE },
  ...[
    ['Content-Type: text/html; charset=utf-16'],
    ['Content-Type: application/json; charset=klingon'],
    ['Content-Type: application/octet-stream'],
    [],
  ].map((fields) => ({ title: `an error as ${String(fields)}`, parts: failed(fields), gives: EXPIRED })),
  {
    title: 'an error in Latin-1 without a label, whose message is not guessed',
    parts: failed([JSON_TYPE], Buffer.from(ERROR.replace('Expired', 'Abgelaufen \u00dc'), 'latin1')),
    gives: { ...EXPIRED, message: 'The platform answered HTTP 401 without a message.' },
  },
  {
    title: 'an error in UTF-16',
    parts: failed(['Content-Type: application/json;charset=UTF-16'], utf16be(`\ufeff${ERROR}`)),
    gives: EXPIRED,
  },
];
