/// A run whose record a later run had read before it began, as far as it went then.
///
/// A run names the runs that it had read and that no other run which it had read names, as a commit names its
/// parents. The order of runs follows from that, and a missing run is noticed. No clock is involved.
package struct Predecessor: Hashable, Sendable, Codable {
  package var run: String
  package var last: String

  package init(run: String, last: String) {
    (self.run, self.last) = (run, last)
  }
}
