export { BUILT, loadPage, type Page, type PageAnswer, pageFrom } from './page.ts';
export { PAGE_HEADERS } from './pageHeaders.ts';
