import type { Locale, OperatorLocale } from './locale.rules.ts';

/** The one form of texts (docs/decisions/texts.md): a table by language in the text.ts of a capability. A page takes `someText[locale]`. */
export type Texts<Words> = Readonly<Record<Locale, Words>>;

/** What people read. English gives the type, and the compiler demands every key of it in every language. */
export function texts<Words>(
  byLanguage: { readonly en: Words } & Readonly<Record<Exclude<Locale, 'en'>, NoInfer<Words>>>,
): Texts<Words> {
  return byLanguage;
}

export type OperatorTexts<Words> = Readonly<Record<OperatorLocale, Words>>;

/** What only operators read. Their pages choose among fewer languages (`chooseOperatorLocale`). */
export function operatorTexts<Words>(
  byLanguage: { readonly en: Words } & Readonly<Record<Exclude<OperatorLocale, 'en'>, NoInfer<Words>>>,
): OperatorTexts<Words> {
  return byLanguage;
}
