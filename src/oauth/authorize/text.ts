import { texts } from '../../platform/ui/texts.ts';

export const formPostText = texts({
  en: {
    returning: 'Returning to the application',
  },
  zh: {
    returning: '正在返回应用',
  },
  de: {
    returning: 'Zurück zur Anwendung',
  },
});
