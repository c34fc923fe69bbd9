/** What mutations put into an answer: the pieces that its framing, its labels and its meaning hang on. */
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  '\t',
  ' ',
  ':',
  ';',
  '0',
  '9',
  '-1',
  '0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'Content-Length: 3\r\n',
  'Content-Length: 10 \r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-Encoding: deflate\r\n',
  'Content-Type: application/json;charset=utf-16\r\n',
  'Location: /api/elsewhere\r\n',
  'Retry-After: 1.5\r\n',
  'Set-Cookie: a=b; Path=/\r\n',
  'X-SVC-AuthToken: other\r\n',
  '\x1f\x8b\x08',
  '\xff\xfe',
  '\xef\xbb\xbf',
  '{"code":"ERR009","message":"m"}',
  '"code":"ERR003",',
  '[',
  '}',
  'null',
] as const;

type Random = () => number;
type Mutation = (answer: Buffer, other: Buffer, random: Random) => Buffer;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

const splice = (answer: Buffer, at: number, removed: number, added: Buffer): Buffer =>
  Buffer.concat([answer.subarray(0, at), added, answer.subarray(at + removed)]);

const MUTATIONS: readonly Mutation[] = [
  (answer, _other, random) => splice(answer, below(random, answer.length + 1), 0, pieceOf(random)),
  (answer, _other, random) =>
    splice(answer, below(random, answer.length), 1 + below(random, 4), pieceOf(random)),
  (answer, _other, random) =>
    splice(answer, below(random, answer.length), 1 + below(random, 20), Buffer.alloc(0)),
  (answer, _other, random) => splice(answer, below(random, answer.length), 1, Buffer.of(below(random, 256))),
  (answer, _other, random) => {
    const from = below(random, answer.length);
    return splice(answer, from, 0, answer.subarray(from, from + below(random, 60)));
  },
  (answer, _other, random) => answer.subarray(0, below(random, answer.length + 1)),
  (answer, other, random) =>
    Buffer.concat([
      answer.subarray(0, below(random, answer.length)),
      other.subarray(below(random, other.length)),
    ]),
  (answer, other) => Buffer.concat([answer, other]),
  // At the start of a line, where a field has its place.
  (answer, _other, random) => {
    const lineEnd = answer.indexOf('\r\n', below(random, answer.length));
    return lineEnd < 0 ? answer : splice(answer, lineEnd + 2, 0, pieceOf(random));
  },
];

function pieceOf(random: Random): Buffer {
  return Buffer.from(PIECES[below(random, PIECES.length)] ?? '', 'latin1');
}

/** One of the answers with one to four mutations. */
export function mutatedAnswer(answers: readonly Buffer[], random: Random): Buffer {
  const pick = (): Buffer => answers[below(random, answers.length)] ?? Buffer.alloc(0);
  let answer = pick();
  for (let left = 1 + below(random, 4); left > 0; left -= 1) {
    answer = MUTATIONS[below(random, MUTATIONS.length)]?.(answer, pick(), random) ?? answer;
  }
  return answer;
}
