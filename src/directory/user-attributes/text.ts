import { texts } from '../../platform/ui/texts.ts';
import type { AttributeType } from './rules.ts';

/** On the account page. */
export const attributeText = texts({
  en: {
    yes: 'Yes',
    no: 'No',
    unset: 'Not set',
    oneEach: 'One per line.',
    tooMuch: 'The values are too long in total. Shorten some of them.',
    faults: {
      string: 'Enter at most 500 characters, on one line.',
      number: 'Enter a number, such as 12.5.',
      boolean: 'Choose yes or no.',
      date: 'Enter a date, such as 2026-01-31.',
      list: 'Enter at most 50 lines of at most 100 characters.',
    } satisfies Record<AttributeType, string>,
  },
  zh: {
    yes: '是',
    no: '否',
    unset: '未设置',
    oneEach: '每行一个。',
    tooMuch: '内容总长度过长，请缩短部分内容。',
    faults: {
      string: '最多 500 个字符，且只能为一行。',
      number: '请输入数字，例如 12.5。',
      boolean: '请选择是或否。',
      date: '请输入日期，例如 2026-01-31。',
      list: '最多 50 行，每行最多 100 个字符。',
    },
  },
  de: {
    yes: 'Ja',
    no: 'Nein',
    unset: 'nicht angegeben',
    oneEach: 'Ein Eintrag je Zeile.',
    tooMuch: 'Das ist insgesamt zu viel Text. Kürzen Sie einige Angaben.',
    faults: {
      string: 'Geben Sie höchstens 500 Zeichen in einer Zeile ein.',
      number: 'Geben Sie eine Zahl ein, zum Beispiel 12,5.',
      boolean: 'Wählen Sie Ja oder Nein.',
      date: 'Geben Sie ein Datum ein, zum Beispiel 2026-01-31.',
      list: 'Geben Sie höchstens 50 Zeilen mit je höchstens 100 Zeichen ein.',
    },
  },
});
