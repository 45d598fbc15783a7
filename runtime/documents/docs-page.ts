/** The page at `/docs`: swagger-ui on our OpenAPI document; `reference-script.ts` makes it show int64 ids exactly. */

/** @param folder where the page's own files are, seen from the address of the page: `docs/`, or nothing */
export const referencePage = (folder: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>farmgate control API</title>
<link rel="icon" type="image/png" href="${folder}favicon-32x32.png">
<link rel="stylesheet" href="${folder}swagger-ui.css">
</head>
<body>
<p><a href="${folder === '' ? '../' : './'}">← farmgate</a></p>
<main id="reference"></main>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`
