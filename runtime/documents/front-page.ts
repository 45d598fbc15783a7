/** The page at the root: it leads people to the reference, with no script and no style. */
export const frontPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>farmgate</title>
</head>
<body>
<h1>farmgate</h1>
<p>Control API of a dedicated Stardew Valley server: <a href="docs">reference</a>.</p>
</body>
</html>
`
