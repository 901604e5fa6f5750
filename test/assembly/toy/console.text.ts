import { operatorTexts } from '../../../src/platform/ui/texts.ts';

export const guestBookPlace = operatorTexts({ en: 'Guest book', zh: '留言簿' });

export const guestBookText = operatorTexts({
  en: { guests: (names: string) => `Guests: ${names}` },
  zh: { guests: names => `来宾：${names}` },
});
