import { GUARDED, param } from '../message.ts';
import { findAccentStylesheet } from '../pages/accent-stylesheet.ts';
import { assets } from '../pages/assets.ts';
import { errorIndexPage, errorPage, isErrorCode } from '../pages/error-reference-page.ts';
import { failure } from '../protocol/errors.ts';
import type { Page } from '../services.ts';

const NOT_FOUND = { failure: failure('notFound') };

export const asset: Page = async (_services, request) => {
  const path = `/assets/${param(request, 'file')}`;
  const file = assets.get(path) ?? findAccentStylesheet(path);
  if (!file) return NOT_FOUND;
  const headers = { ...GUARDED, 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return { status: 200, headers, body: file.body };
};

export const errorIndex: Page = async () => errorIndexPage();

export const errorReference: Page = async (_services, request) => {
  const code = param(request, 'error');
  return isErrorCode(code) ? errorPage(code) : NOT_FOUND;
};
