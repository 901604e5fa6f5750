import { createRequire } from 'node:module';

interface Dom {
  readonly DOMParser: new () => { parseFromString(text: string, type: string): { readonly documentElement: object } };
}

/** The parser that xml-crypto brings. */
const { DOMParser } = createRequire(import.meta.resolve('xml-crypto'))('@xmldom/xmldom') as Dom;

export function parse(xml: string): object {
  return new DOMParser().parseFromString(xml, 'text/xml').documentElement;
}
