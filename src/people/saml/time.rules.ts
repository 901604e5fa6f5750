/** SAML core section 1.3.3: a time is in UTC. In seconds since 1970, parts of a second dropped; undefined: it is none. */
export function secondsOf(text: string | undefined): number | undefined {
  const found = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? '');
  const time = found ? Date.parse(`${found[1]}${found[2] ?? 'Z'}`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time / 1000;
}

export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
