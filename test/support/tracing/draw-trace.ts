import { type CollectedSpan } from './collected-span.js';
import { placedSpans } from './trace-tree.js';

const WIDTH = 1000;
const NAMES = 330;
const TIMES = 80;
const ROW = 26;
const TOP = 64;
const COLORS: readonly string[] = ['#f5b942', '#3b82d6', '#7bb661', '#b06fc4'];

/** Draws one trace as an SVG: a row for each span, its bar where and as long as it was. */
export function drawTrace(title: string, spans: readonly CollectedSpan[]): string {
  const placed = placedSpans(spans);
  const begin = Math.min(...spans.map(({ start }) => Number(start)));
  const end = Math.max(...spans.map((span) => Number(span.end)));
  const services = [...new Set(placed.map(({ span }) => span.service))];
  const colorOf = (service: string): string => COLORS[services.indexOf(service) % COLORS.length] ?? '';
  const scale = (WIDTH - NAMES - TIMES) / (end - begin);
  const rows = placed.map(({ span, depth }, index) => {
    const y = TOP + index * ROW;
    const x = NAMES + (Number(span.start) - begin) * scale;
    const width = Math.max(2, Number(span.end - span.start) * scale);
    const milliseconds = (Number(span.end - span.start) / 1e6).toFixed(1);
    return [
      `  <text class="span" data-depth="${depth}" x="${10 + depth * 14}" y="${y + 17}">${escaped(span.name)}</text>`,
      `  <rect x="${x.toFixed(1)}" y="${y + 5}" width="${width.toFixed(1)}" height="16" rx="2" fill="${colorOf(span.service)}"/>`,
      `  <text class="time" x="${(x + width + 5).toFixed(1)}" y="${y + 17}">${milliseconds} ms</text>`,
    ].join('\n');
  });
  const legend = services.map(
    (service, index) =>
      `  <rect x="${NAMES + index * 160}" y="34" width="12" height="12" rx="2" fill="${colorOf(service)}"/>\n` +
      `  <text x="${NAMES + 18 + index * 160}" y="45">${escaped(service)}</text>`,
  );
  const height = TOP + placed.length * ROW + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
  <title>${escaped(title)}</title>
  <rect width="${WIDTH}" height="${height}" fill="#fff"/>
  <text x="10" y="24" font-size="15" font-weight="600">${escaped(title)}</text>
${[...legend, ...rows].join('\n')}
</svg>
`;
}

/** What a picture shows: the depth and the name of each span, in the order of the names. */
export function pictureSpans(svg: string): string[] {
  return [...svg.matchAll(/<text class="span" data-depth="(\d+)"[^>]*>([^<]*)</g)]
    .map(([, depth, name]) => `${depth ?? ''} ${name ?? ''}`)
    .sort();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
