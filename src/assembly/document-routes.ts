import { type ErrorCode, type Failures, failure } from '../failures.ts';
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
type Pages = Map<ErrorCode | typeof INDEX, Published>;
const errorPages = new WeakMap<Failures, Pages>();

function errorDocument(name: ErrorCode | typeof INDEX, failures: Failures): Published {
  const pages: Pages = errorPages.get(failures) ?? new Map();
  const document = pages.get(name) ?? publish(name === INDEX ? errorIndexPage() : errorPage(name, failures));
  errorPages.set(failures, pages.set(name, document));
  return document;
}

export const errorIndex: Handler = async ({ tables }, request) =>
  answerPublished(request, errorDocument(INDEX, tables.failures));

export const errorReference: Handler = async ({ tables }, request) => {
  const code = param(request, 'error');
  return isErrorCode(code) ? answerPublished(request, errorDocument(code, tables.failures)) : NOT_FOUND;
};
