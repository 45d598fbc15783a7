/** What is wrong with the farm, in words, and what to do. What failed when it was asked for is told by `Trouble`. */
export const Note = ({ what, cure }: { readonly what: string; readonly cure: string }) => (
  <div class="trouble">
    <p>
      <strong>{what}</strong> {cure}
    </p>
  </div>
)
