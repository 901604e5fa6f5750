import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ClientSection } from '../fields/declaration.fields.ts';

/** The sections of the form of a client. Each field has its own words (fields.ts). */
export const clientSectionText = operatorTexts<Readonly<Record<ClientSection, string>>>({
  en: {
    identity: 'Identity',
    addresses: 'Addresses',
    access: 'What it may request',
    authentication: 'How it authenticates',
    tokens: 'Tokens',
  },
  zh: {
    identity: '标识',
    addresses: '地址',
    access: '可以请求的内容',
    authentication: '身份验证方式',
    tokens: '令牌',
  },
});
