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

/** What only operators read. Their pages choose among fewer languages (`chooseOperatorLocale`). A list has as many texts in each of them. */
export function operatorTexts<const Words>(
  byLanguage: { readonly en: Words } & Readonly<Record<Exclude<OperatorLocale, 'en'>, NoInfer<AnyText<Words>>>>,
): OperatorTexts<AnyText<Words>> {
  return byLanguage as unknown as OperatorTexts<AnyText<Words>>;
}

/** The same keys and lists with any texts. */
type AnyText<Words> = Words extends string
  ? string
  : Words extends (...values: never[]) => unknown
    ? Words
    : { readonly [Key in keyof Words]: AnyText<Words[Key]> };
