/** RFC 9110 section 12.4.2: the entries of an Accept or Accept-Language header, highest weight first, without those of q=0. */
export function byPreference(header: string): string[] {
  return header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map(entry => {
      const [name = '', ...options] = entry.split(';');
      const weight = options.map(option => /^\s*q=([\d.]+)\s*$/i.exec(option)?.[1]).find(value => value !== undefined);
      return { name: name.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ name, weight }) => name !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ name }) => name);
}

/** Characters after this are ignored, so that a long header costs little time. */
const MAX_HEADER_LENGTH = 1000;
