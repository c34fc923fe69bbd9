/** Run as a process of its own: a platform that logs anybody in and answers each GET with a small object. Prints its base URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = JSON.stringify({
  locale: 1033,
  timeout: 1800,
  id: '0123456789ABCDEF0123456789ABCDEF',
  fullName: 'A User',
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const login = {
  'X-SVC-AuthToken': 'k3v9l2m1n0',
  'Set-Cookie': ['JSESSIONID=0123456789ABCDEF0123456789ABCDEF; Path=/api; HttpOnly', 'LB=node-1; Path=/'],
};

const server = createServer((request, response) => {
  request.resume();
  if (request.method === 'POST') response.writeHead(204, login).end();
  else response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
});
