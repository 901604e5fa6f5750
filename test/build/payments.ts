import type { ApplicationInput } from './fixture.ts';

/** APIs with types of authorization details (RFC 9396). */
export const PAY = 'https://pay.shop.example';
export const BOOKS = 'https://books.shop.example';

export const paymentSchema = {
  required: ['amount', 'currency', 'payee'],
  properties: {
    amount: { type: 'string', pattern: '^\\d{1,9}\\.\\d{2}$' },
    currency: { enum: ['EUR', 'USD'] },
    payee: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 70 } } },
    reference: { type: 'string', maxLength: 35 },
  },
};

export const payApis: NonNullable<ApplicationInput['apis']> = [
  {
    ...{ identifier: PAY, name: 'Payments', scopes: { 'pay:status': 'See payments' } },
    authorization_details_types: {
      payment: { schema: paymentSchema, display: 'Pay {amount} {currency} to {payee.name}' },
    },
  },
  {
    ...{ identifier: BOOKS, name: 'Books', access_token_format: 'jwt' },
    authorization_details_types: {
      book: { schema: { required: ['title'], properties: { title: { type: 'string' } } }, display: 'Read {title}' },
    },
  },
];

export const aPayment = (over: Record<string, unknown> = {}) => ({
  ...{ type: 'payment', amount: '120.00', currency: 'EUR', payee: { name: 'Merchant <b>A</b>' }, ...over },
});
