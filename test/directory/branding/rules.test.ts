import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkFault, logoFault, logoHash, MAX_LOGO_BYTES, readLogo } from '../../../src/directory/branding/rules.ts';
import { dataUri, PNG, pngOf, SVG_WITH_SCRIPT } from '../../build/branding.ts';

describe('the links of an application (RFC 7591 section 2: policy_uri, tos_uri)', () => {
  for (const uri of [
    'https://shop.example',
    'https://shop.example/help?lang=en#top',
    'HTTPS://shop.example/help',
    'http://localhost:3000/help',
    'http://127.0.0.1/help',
    'http://[::1]:8080/help',
  ]) {
    it(`accepts ${uri}`, () => assert.equal(linkFault(uri), undefined));
  }
  const refused: readonly (readonly [string, RegExp])[] = [
    ['javascript:alert(1)', /https address/],
    ['JavaScript:alert(1)//https://shop.example', /https address/],
    ['data:text/html,<script>alert(1)</script>', /https address/],
    ['vbscript:x', /https address/],
    ['//shop.example/help', /https address/],
    ['/help', /https address/],
    ['https:shop.example', /https address/],
    ['https:///shop.example', /https address/],
    ['http://shop.example/help', /https address/],
    ['http://127.0.0.1.evil.example/', /https address/],
    ['mailto:help@shop.example', /https address/],
    ['https://shop.example\\@evil.example/', /https address/],
    ['https://shop.example@evil.example/', /user name/],
    ['https://shop.example/a b', /printable ASCII/],
    ['https://shop.example/\n', /printable ASCII/],
    ['https://bücher.example/', /printable ASCII/],
    ['', /printable ASCII/],
    [`https://shop.example/${'a'.repeat(1000)}`, /at most 1000 characters/],
  ];
  for (const [uri, fault] of refused) {
    it(`attack: refuses ${JSON.stringify(uri.slice(0, 60))}`, () => assert.match(linkFault(uri) ?? 'accepted', fault));
  }
});

describe('the logo of an application (RFC 7591 section 2: logo_uri)', () => {
  const images = {
    png: PNG,
    jpeg: dataUri('image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')),
    webp: dataUri('image/webp', 'RIFF\x10\0\0\0WEBPVP8 '),
    svg: dataUri('image/svg+xml', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'svg with a script, which runs nowhere': SVG_WITH_SCRIPT,
    'of exactly 32 KiB': pngOf(MAX_LOGO_BYTES),
  };
  for (const [name, uri] of Object.entries(images)) {
    it(`accepts ${name}`, () => assert.equal(logoFault(uri), undefined));
  }
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['an address of another server', 'https://cdn.example/logo.png', /image itself/],
    ['a script', 'javascript:alert(1)', /image itself/],
    ['a page', dataUri('text/html', '<script>alert(1)</script>'), /image itself/],
    ['a page that says it is an image', dataUri('image/png', '<script>alert(1)</script>'), /of the type that it names/],
    ['an SVG that says it is a PNG', dataUri('image/png', '<svg/>'), /of the type that it names/],
    ['a PNG that says it is an SVG', PNG.replace('image/png', 'image/svg+xml'), /of the type that it names/],
    ['a further parameter', PNG.replace(';base64', ';charset=utf-8;base64'), /image itself/],
    ['text that is not base64', 'data:image/svg+xml,<svg/>', /image itself/],
    ['broken base64', `${PNG.slice(0, -3)}`, /image itself/],
    ['base64 with a line break', PNG.replace('iVBOR', 'iVBO\nR'), /image itself/],
    ['a quotation mark', `${PNG}"><script>`, /image itself/],
    ['an empty image', 'data:image/png;base64,', /of the type that it names/],
    ['one byte more than 32 KiB', pngOf(MAX_LOGO_BYTES + 1), /at most 32 KiB/],
    ['10 MB', pngOf(10_000_000), /at most 32 KiB/],
  ];
  for (const [name, uri, fault] of refused) {
    it(`attack: refuses ${name}`, () => assert.match(logoFault(uri) ?? 'accepted', fault));
  }

  it('is read as its type and its bytes, and has another address when it changes', () => {
    assert.deepEqual(readLogo(dataUri('image/svg+xml', '<svg/>')), {
      type: 'image/svg+xml',
      bytes: Buffer.from('<svg/>'),
    });
    assert.match(logoHash(PNG), /^[0-9a-f]{24}$/);
    assert.notEqual(logoHash(PNG), logoHash(SVG_WITH_SCRIPT));
  });
});
