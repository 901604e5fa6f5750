import { operatorTexts } from '../../platform/ui/texts.ts';

export const proposalText = operatorTexts({
  en: {
    title: 'Approve a proposed change',
    about: 'An assistant that you signed in proposes this call of the admin API. Nothing has been changed yet.',
    call: 'Call',
    body: 'Body',
    approve: 'Approve and run',
    hint: 'Approve only what you asked the assistant to do. To reject it, close this page.',
    done: 'The change was made.',
    answer: 'Response',
    gone: 'This proposal has expired, was made for another operator, or was already approved. Ask the assistant to propose the change again.',
  },
  zh: {
    title: '批准提议的更改',
    about: '您登录的助手提议对管理 API 进行此调用。目前尚未更改任何内容。',
    call: '调用',
    body: '请求体',
    approve: '批准并执行',
    hint: '请仅批准您要求助手执行的操作。若要拒绝，请关闭此页面。',
    done: '更改已完成。',
    answer: '响应',
    gone: '此提议已过期、属于其他管理员，或已被批准。请让助手重新提议。',
  },
});
