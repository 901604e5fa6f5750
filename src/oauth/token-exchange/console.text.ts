import { operatorTexts } from '../../platform/ui/texts.ts';

export const exchangeText = operatorTexts({
  en: {
    legend: 'Token exchange',
    token_exchange: [
      'Policies',
      'One per line, separated by spaces: the API that the token is for, or the client that exchanges it; the API that the new token is for; the scopes that it may have. Clients need the grant of token exchange too.',
    ],
  },
  zh: {
    legend: '令牌交换',
    token_exchange: [
      '策略',
      '每行一条，以空格分隔：原令牌所用于的 API，或进行交换的客户端；新令牌所用于的 API；新令牌可以拥有的范围。客户端还需要令牌交换的授权方式。',
    ],
  },
});
