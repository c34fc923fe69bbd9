const DEADLINES = [
  ['platformExpires', 'until the platform’s timeout'],
  ['idleExpires', 'until it is idle for too long'],
  ['expires', 'until its final end'],
];

/** The deadline that comes first: in how many seconds as of the answer, and what it is. */
export function firstDeadline(session) {
  return DEADLINES.map(([name, meaning]) => ({
    seconds: session[`${name}InSeconds`] ?? Infinity,
    meaning,
  })).reduce((first, other) => (other.seconds < first.seconds ? other : first));
}

/** `1:02:03`, `29:59`, `0:07`; never below zero. */
export function remainingText(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const padded = (value) => String(value).padStart(2, '0');
  const head = hours > 0 ? `${hours}:${padded(minutes)}` : String(minutes);
  return `${head}:${padded(seconds % 60)}`;
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** Leaves out the day if it is today. */
export function timeText(iso) {
  const date = new Date(iso);
  const format = date.toDateString() === new Date().toDateString() ? TIME : DAY_AND_TIME;
  return format.format(date);
}
