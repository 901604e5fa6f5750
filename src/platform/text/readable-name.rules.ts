/**
 * One rule for every name that another person reads: of users, applications, clients, APIs, groups, keys, passkeys. Nobody sees invisible and
 * direction-changing characters, so a name with them passes for another one (docs/decisions/names.md).
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Scripts in which a joiner between two letters or marks changes how they are written. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Mandaic', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Myanmar', 'Khmer', 'Tibetan'],
]
  .map(script => `\\p{Script=${script}}`)
  .join('');

/** What cannot be seen by itself and is seen by what it does to its neighbours. */
const VISIBLE_BY_EFFECT = new RegExp(
  [
    // Persian می‌خواهم, Sinhala ශ්‍රී.
    `(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`,
    // 👩‍🔧 is two pictures and a joiner.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})[\\uFE0E\\uFE0F]',
    // The form of a Chinese character in a name (葛󠄀).
    '(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]',
    '(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]',
  ].join('|'),
  'gu',
);

const FAULT = 'must not have control characters, nor invisible or direction-changing ones';

export function nameFault(text: string): string | undefined {
  return text.replace(VISIBLE_BY_EFFECT, '').search(HIDDEN) < 0 ? undefined : FAULT;
}

/** User names are compared, not only read: two that look alike must not differ, so there is no exception. */
export function usernameFault(text: string): string | undefined {
  return text.search(HIDDEN) < 0 ? undefined : FAULT;
}

/** For a name that is no reason to refuse what comes with it. */
export function withoutHidden(text: string): string {
  return nameFault(text) === undefined ? text : text.replace(HIDDEN, '').trim();
}

/** For the schemas. */
export function checkName(text: string, context: { addIssue(message: string): void }): void {
  const fault = nameFault(text);
  if (fault !== undefined) context.addIssue(fault);
}
