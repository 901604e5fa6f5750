import { operatorTexts } from '../../platform/ui/texts.ts';

export const applicationsPlace = operatorTexts({ en: 'Applications', zh: '应用' });
