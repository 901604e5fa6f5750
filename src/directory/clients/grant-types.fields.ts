import { z } from 'zod';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { type ClientField, clientField, oneOf } from '../fields/declaration.fields.ts';

/** The values are the grant types that the capabilities declare. */
export function grantTypesField(grantTypes: GrantTypes): ClientField {
  const names = [...grantTypes.keys()];
  const labels = (locale: OperatorLocale) =>
    Object.fromEntries([...grantTypes].map(([name, { label }]) => [name, label?.[locale] ?? name]));
  return clientField('grant_types', {
    schema: z.array(oneOf(names)).default(['authorization_code', 'refresh_token']),
    meaning: `The ways in which the client may get tokens: ${names.map(type => `\`${type}\``).join(', ')}.`,
    own: 'list',
    section: 'access',
    text: {
      en: ['Grants', 'The ways in which the client may get tokens.'],
      zh: ['授权方式', '客户端获取令牌的方式。'],
    },
    choices: { en: labels('en'), zh: labels('zh') },
  });
}
