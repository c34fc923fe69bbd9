import { type Attack } from './attack/play.ts';

const NETWORKS = [1, 10, 100];
const LIST = 9_990;
/** Of the service, for all rows. */
export const NODE = ['--max-old-space-size=512'];
const PROJECTS = 'projects { id name }';
const FIFTEEN = Array.from({ length: 15 }, (_, n) => `a${n}: ${PROJECTS}`).join(' ');
const LOOK_UPS = [
  ...Array.from({ length: 15 }, (_, n) => `n${n}: projectId(name: "Project number ${LIST - 1 - n}")`),
  ...Array.from(
    { length: 5 },
    (_, n) => `i${n}: project(id: "${(n + 1).toString(16).padStart(32, 'F')}") { id }`,
  ),
].join(' ');

/** What one guest does who comes from some networks, beside a tenant with a network of their own. */
export const PARTIES: readonly Attack[] = [
  {
    id: 'tenant-alone',
    what: 'no guest: what the machine and the tenant cost the figures below',
    before: '',
    node: NODE,
    networks: 1,
    seconds: 10,
    platform: { projects: LIST },
    plan: { kind: 'guests', sessions: 0, requests: 1, query: `{ ${PROJECTS} }` },
  },
  ...crowd('guests', `{ ${PROJECTS} }`, 'each asks once for 9,990 projects'),
  ...crowd('guests-15-aliases', `{ ${FIFTEEN} }`, 'each asks once for 9,990 projects under 15 aliases'),
  ...NETWORKS.map((networks): Attack => ({
    id: `guest-failures-${networks}`,
    what: `40 anonymous sessions from ${of(networks)}, whose \`GET projects\` gets 503 from a gateway before the platform; each asks again 0.5 s later`,
    before: networks === 1 ? '117 of 118 `me` refused `CIRCUIT_OPEN`' : '',
    node: NODE,
    networks,
    seconds: 10,
    platform: { failsGuests: true },
    plan: { kind: 'guests', sessions: 40, requests: 1, query: `{ ${PROJECTS} }`, again: 500 },
  })),
  ...logins('guest-logins', 200, NETWORKS, { 1: "another's login takes 3.8 s" }),
  ...logins('guest-crowds', 600, NETWORKS, { 10: '0 of 93 logins, 90 `CIRCUIT_OPEN`' }),
  ...logins('wrong-passwords', 240, [1, 4, 10, 100], { 4: "another's login takes 5.0 s" }),
  ...NETWORKS.map((networks): Attack => ({
    id: `lookups-${networks}`,
    what: `100 requests of \`15 × projectId, 5 × project\` at once, from ${of(networks)} with a session each`,
    before: networks === 1 ? '`/livez` after 3.7 s' : '',
    node: NODE,
    networks,
    seconds: 8,
    platform: { projects: LIST },
    plan: { kind: 'guests', sessions: networks, requests: 100 / networks, query: `{ ${LOOK_UPS} }` },
  })),
];

function crowd(id: string, query: string, what: string): Attack[] {
  return NETWORKS.map((networks) => ({
    id: `${id}-${networks}`,
    what: `300 anonymous sessions from ${of(networks)}; ${what}`,
    before:
      networks > 1
        ? ''
        : id === 'guests'
          ? '`me` 0 of 7, `/livez` p99 1.8 s, 1.09 GB'
          : '`me` 1 of 12, `/livez` p99 3.3 s',
    node: NODE,
    networks,
    seconds: 10,
    platform: { projects: LIST },
    plan: { kind: 'guests', sessions: 300, requests: 1, query },
  }));
}

/** A login of the platform takes 2 s. */
function logins(
  id: string,
  inFlight: number,
  networks: readonly number[],
  before: Readonly<Record<number, string>>,
): Attack[] {
  const areWrong = id === 'wrong-passwords';
  return networks.map((each) => ({
    id: `${id}-${each}`,
    what: `${inFlight} ${areWrong ? 'logins with a wrong password' : 'anonymous logins'} in flight from ${of(each)}, on a platform whose logins take 2 s`,
    before: before[each] ?? '',
    node: NODE,
    networks: each,
    seconds: 12,
    platform: { loginDelay: 2000 },
    plan: { kind: 'logins', inFlight, areWrong },
  }));
}

export function of(networks: number): string {
  return networks === 1 ? 'one network' : `${networks} networks`;
}
