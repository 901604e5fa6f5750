import { type ErrorCode, failure } from '../failures.ts';
import { GUARDED, param } from '../platform/http/message.ts';
import { answerPublished, type Published, publish } from '../platform/http/published.ts';
import { findAccentStylesheet } from '../platform/ui/accent-stylesheet.ts';
import { assets } from '../platform/ui/assets.ts';
import type { Handler } from '../services.ts';
import { errorIndexPage, errorPage, isErrorCode } from './error-reference.html.ts';

const NOT_FOUND = { failure: failure('notFound') };

export const asset: Handler = async (_services, request) => {
  const path = `/assets/${param(request, 'file')}`;
  const file = assets.get(path) ?? findAccentStylesheet(path);
  if (!file) return NOT_FOUND;
  const headers = { ...GUARDED, 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return { status: 200, headers, body: file.body };
};

const INDEX = 'index';
const errorPages = new Map<ErrorCode | typeof INDEX, Published>();

function errorDocument(name: ErrorCode | typeof INDEX): Published {
  const document = errorPages.get(name) ?? publish(name === INDEX ? errorIndexPage() : errorPage(name));
  errorPages.set(name, document);
  return document;
}

export const errorIndex: Handler = async (_services, request) => answerPublished(request, errorDocument(INDEX));

export const errorReference: Handler = async (_services, request) => {
  const code = param(request, 'error');
  return isErrorCode(code) ? answerPublished(request, errorDocument(code)) : NOT_FOUND;
};
