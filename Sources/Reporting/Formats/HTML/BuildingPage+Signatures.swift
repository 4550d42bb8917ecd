import Model
import QRCode

extension BuildingPage {
  var signatures: Markup {
    let roles: [Markup] = ["Provisioned by", "Checked by", "Accepted by"]
    let lines = roles.map { "<tr><th scope=\"row\">\($0)<td><td><td><td></tr>" as Markup }
    return section(
      "signatures", "Signatures",
      """
      <p>The signatures are for \(report.verdict.lowercasedFirst) in \
      <bdi>\(report.name)</bdi> as of \(time(report.made)) (\(times.offset(report.made))), by the records named below.</p>
      <div class="signing"><table class="sign"><thead><tr><td><th scope="col">Name<th scope="col">Role<th scope="col">Date\
      <th scope="col">Signature</tr></thead><tbody>\(lines.joined())</tbody></table>\(code)</div>
      \(digests)
      """)
  }

  /// The digests of the newest journals, which cover those that they know, for a reader that compares them with a record.
  private var code: Markup? {
    let known = Set(report.runs.flatMap { $0.started.predecessors ?? [] }.map(\.run))
    let newest = report.runs.enumerated().filter { !known.contains($1.started.run) }
    let lines = ["roboprov \(report.building)"] + newest.map { "\($1.started.run) \($1.journalHash)" }
    guard !newest.isEmpty, let code = QRCode(lines.joined(separator: "\n")) else { return nil }
    let runs = newest.map { "run \($0.offset + 1)" }.joined(separator: ", ")
    return """
      <figure class="qr"><svg viewBox="0 0 \(code.side) \(code.side)" role="img" \
      aria-label="QR code with the digest of \(runs)"><rect width="100%" height="100%"/><path d="\(code.path)"/></svg>\
      <figcaption>Digest of \(runs), which covers all before</figcaption></figure>
      """
  }

  private var digests: Markup {
    let journals = report.runs.enumerated().map { index, run -> Markup in
      "<li>run \(index + 1), <code>\(run.started.run)</code><br><code class=\"hash\">\(run.journalHash)</code>"
    }
    let manifest: Markup =
      report.manifest.map { "<code class=\"hash\">\($0.sha256)</code>" } ?? "none: no manifest was given"
    return """
      <h3>Digest of the manifest</h3><p>\(manifest)</p>
      <h3>SHA-256 of the last line of each journal</h3><ul class="hashes">\(journals.joined())</ul>
      """
  }
}
