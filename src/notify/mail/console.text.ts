import { operatorTexts } from '../../platform/ui/texts.ts';

export const outboxText = operatorTexts({
  en: {
    title: 'Outbox',
    intro: 'For development: e-mails are written to a folder (MAIL_URL=file:) and not sent.',
    columns: ['Subject', 'To', 'Time'],
    none: 'No e-mails yet.',
    noSubject: '(no subject)',
    to: 'To',
    time: 'Time',
    text: 'Text',
    links: 'Links',
  },
  zh: {
    title: '发件箱',
    intro: '邮件写入文件夹（MAIL_URL=file:），不会发送。仅供开发使用。',
    columns: ['主题', '收件人', '时间'],
    none: '还没有邮件。',
    noSubject: '（无主题）',
    to: '收件人',
    time: '时间',
    text: '正文',
    links: '链接',
  },
});
