import { type Share } from './concerns.ts';

const WIDTH = 760;
const LABELS = 250;
const BAR = WIDTH - LABELS - 130;
const LINE = 24;
const TOP = 64;
/** Parts that are smaller stand together at the end. */
const LEAST = 0.01;

/** One request's CPU as a bar for each concern, in SVG that is readable on a light and on a dark page. */
export function picture(title: string, microseconds: number, shares: readonly Share[]): string {
  const shown = shares.filter(({ share }) => share >= LEAST);
  const rest = shares.filter(({ share }) => share < LEAST).reduce((sum, { share }) => sum + share, 0);
  const rows = rest === 0 ? shown : [...shown, { concern: 'all else', share: rest }];
  const most = Math.max(...rows.map(({ share }) => share));
  const height = TOP + rows.length * LINE + 16;
  const bars = rows.map(({ concern, share }, index) => {
    const y = TOP + index * LINE;
    const width = ((share / most) * BAR).toFixed(1);
    const figure = `${Math.round(share * microseconds)} µs, ${(100 * share).toFixed(1)} %`;
    return [
      `  <text x="${LABELS - 10}" y="${y + 13}" text-anchor="end">${escape(concern)}</text>`,
      `  <rect x="${LABELS}" y="${y}" width="${width}" height="${LINE - 6}" rx="3"/>`,
      `  <text x="${(LABELS + Number(width) + 8).toFixed(1)}" y="${y + 13}" class="figure">${figure}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .figure { fill: #59636e }
    .page { fill: #ffffff }
    rect { fill: #3b76c4 }
  </style>
  <rect class="page" width="${WIDTH}" height="${height}"/>
  <text x="16" y="28" class="title">${escape(title)}</text>
  <text x="16" y="48" class="figure">${Math.round(microseconds).toLocaleString('en-US')} µs of CPU</text>
${bars.join('\n')}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
