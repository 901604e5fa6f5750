import type { Stack } from './profile.ts';

/** A flame graph that any browser shows: who called whom from top to bottom, as wide as it took. Names are in the titles too. */
const WIDTH = 1200;
const ROW = 17;
const LEAST_SHARE = 0.002;
const LETTER = 6.4;
const COLOURS = { ours: '#e8862e', library: '#d9b13b', node: '#7ba7cc', engine: '#b9b4ad' } as const;

export function flameGraph(title: string, root: Stack): string {
  const bars: string[] = [];
  let deepest = 0;
  const draw = (stack: Stack, from: number, depth: number): void => {
    const share = stack.total / root.total;
    if (share < LEAST_SHARE) return;
    deepest = Math.max(deepest, depth);
    bars.push(bar(stack.name, from, share, depth));
    let at = from;
    for (const call of [...stack.calls.values()].sort((a, b) => b.total - a.total)) {
      draw(call, at, depth + 1);
      at += call.total / root.total;
    }
  };
  draw({ ...root, name: title }, 0, 0);
  const height = (deepest + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10.5" role="img" aria-label="${escaped(title)}">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${bars.join('\n')}
</svg>
`;
}

function bar(name: string, from: number, share: number, depth: number): string {
  const x = (from * WIDTH).toFixed(1);
  const width = share * WIDTH;
  const y = depth * ROW;
  const letters = Math.floor((width - 6) / LETTER);
  const label =
    letters < 3
      ? ''
      : `<text x="${(from * WIDTH + 3).toFixed(1)}" y="${y + 12}">${escaped(name.slice(0, letters))}</text>`;
  const rectangle = `<rect x="${x}" y="${y}" width="${Math.max(0.5, width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colourOf(name)}"/>`;
  return `<g><title>${escaped(name)} ${(share * 100).toFixed(1)} %</title>${rectangle}${label}</g>`;
}

function colourOf(name: string): string {
  if (name.includes(' src/')) return COLOURS.ours;
  if (name.includes(' node_modules/')) return COLOURS.library;
  return name.includes(' node:') ? COLOURS.node : COLOURS.engine;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
