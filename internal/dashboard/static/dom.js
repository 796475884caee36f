// What every part of the script uses: finding elements, and reading pages.
export const base = "/dashboard";
export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const policy = window.trustedTypes ? trustedTypes.createPolicy("entrepot", { createHTML: text => text }) : { createHTML: text => text };
export const plain = e => !(e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey); // opens no other tab
// Parsed pages are inert: their scripts do not run.
export const parse = text => new DOMParser().parseFromString(policy.createHTML(text), "text/html");
// idOf is a node's id. A form with an input named id has that input in place of form.id.
export const idOf = node => node.nodeType === 1 && node.getAttribute("id") || "";
