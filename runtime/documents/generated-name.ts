/** The files of `generated.ts`, by name. This file is apart from it so that a Worker, which has them as assets, does not load what makes them. */
export const generatedNames = ['openapi.json', 'asyncapi.json', 'start.js'] as const
export type GeneratedName = (typeof generatedNames)[number]

/** Stands for the URL of the API in `openapi.json`. */
export const rootMark = 'https://root.invalid'
