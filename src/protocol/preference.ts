/** RFC 9110 section 12.4.2: the entries of an Accept or Accept-Language header, best first; refused ones (q=0) left out. */
export function byPreference(header: string): string[] {
  return header
    .slice(0, LONGEST)
    .split(',')
    .map(entry => {
      const [name = '', ...options] = entry.split(';');
      const weight = options.map(option => /^\s*q=([\d.]+)\s*$/i.exec(option)?.[1]).find(found => found !== undefined);
      return { name: name.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ name, weight }) => name !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ name }) => name);
}

const LONGEST = 1000;
