import { operatorTexts } from '../../platform/ui/texts.ts';

export const refusalsPlace = operatorTexts({ en: 'Refusals', zh: '拒绝的请求' });

export const refusalsText = operatorTexts({
  en: {
    about: 'Requests that were refused in the last seven days, grouped by reason and client.',
    ofReason: (title: string) => `Refused: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    groups: ['Reason', 'Application and client', 'Count', 'Latest'],
    since: 'first',
    requests: ['Request', 'Application and client', 'Time'],
    explain: 'Explain',
    counted: 'Each page covers 1,000 requests. The next page has older ones.',
    empty: 'No requests were refused. When one is, this page explains why and what to do.',
    emptyFiltered: 'No requests of this kind were refused in the last seven days.',
    all: 'All refusals',
    find: 'Request ID, from an error page or the X-Request-Id header',
    open: 'Explain',
    unknown:
      'There is no record of this request: it was not refused, is older than seven days, or exceeded the number that is recorded per minute.',
  },
  zh: {
    about: '最近七天被拒绝的请求，按原因和客户端分组。',
    ofReason: title => `被拒绝：${title}`,
    groups: ['原因', '应用和客户端', '次数', '最近一次'],
    since: '首次：',
    requests: ['请求', '应用和客户端', '时间'],
    explain: '查看原因',
    counted: '每页统计 1,000 个请求；下一页是更早的请求。',
    empty: '没有被拒绝的请求。如有请求被拒绝，此页面会说明原因和处理方法。',
    emptyFiltered: '最近七天没有此类被拒绝的请求。',
    all: '全部被拒绝的请求',
    find: '请求编号（来自错误页面或 X-Request-Id 标头）',
    open: '查看原因',
    unknown: '没有此请求的信息：它没有被拒绝、已超过七天，或所在分钟内被拒绝的请求过多。',
  },
});
