import { inLocale } from '../../operators/console/text.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ClientOrigin } from './rules.ts';

/** Where a client comes from. */
const words = inLocale({
  en: {
    operator: 'Operator',
    dynamic_registration: 'Itself, at /register',
    client_id_metadata: 'Itself, by its document',
  },
  zh: {
    operator: '管理员',
    dynamic_registration: '自行注册（/register）',
    client_id_metadata: '自行注册（元数据文档）',
  },
});

export function originText(locale: OperatorLocale, origin: ClientOrigin | undefined): string {
  return words(locale)[origin ?? 'operator'];
}
