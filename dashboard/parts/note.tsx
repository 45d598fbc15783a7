/** A problem of the farm, and its fix. A failed request is shown by `Trouble`. */
export const Note = ({ what, cure }: { readonly what: string; readonly cure: string }) => (
  <div class="trouble">
    <p>
      <strong>{what}</strong> {cure}
    </p>
  </div>
)
