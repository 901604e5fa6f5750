import { Html, html } from './html.ts';

/** Modules of light margin around the code: ISO/IEC 18004 demands four. */
const MARGIN = 4;

/**
 * A QR code as inline SVG: dark on light in every colour scheme, or phones would not read it. The library is loaded with the first
 * code, because most servers make few.
 */
export async function qrCode(text: string, label: string): Promise<Html> {
  const { encodeQR } = await import('qr');
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
  const size = rows.length;
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${new Html(path)}" fill="#000"/></svg>`;
}
