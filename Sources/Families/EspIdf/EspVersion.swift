import FoundationEssentials

/// The answer of `proto-ver`: JSON with product-defined parts, of which only `prov` counts (docs/internals/protocols.md).
package struct EspVersion: Hashable, Sendable {
  /// 0, 1 or 2; nil if the firmware does not say, as before 2020, or what it says cannot be read.
  package let security: Int?
  /// Whether each message of security 2 has a nonce of its own.
  package let countsMessages: Bool
  /// Security 1 without a proof of possession.
  package let needsNoProof: Bool
  /// Whether `prov-scan` can be used.
  package let scansWiFi: Bool
  /// Whether it joins Thread networks and not WiFi. Only newer firmware names `wifi_prov`, so its absence alone does not
  /// show that.
  package let isForThread: Bool

  /// Total: firmware of IDF 3 answers with a plain text, and a value that cannot be read hides no other.
  package init(_ answer: [UInt8]) {
    let prov = (try? JSONDecoder().decode(Answer.self, from: Data(answer)))?.prov ?? [:]
    let capabilities = prov["cap"]?.texts
    // Before IDF 5.0 only the capability says it.
    security =
      if let said = prov["sec_ver"] { said.number } else {
        capabilities.map { $0.contains("no_sec") ? 0 : 1 }
      }
    countsMessages = (prov["sec_patch_ver"]?.number ?? 0) >= 1
    needsNoProof = capabilities?.contains("no_pop") ?? false
    scansWiFi = capabilities?.contains("wifi_scan") ?? false
    isForThread = capabilities.map { $0.contains("thread_prov") && !$0.contains("wifi_prov") } ?? false
  }

  private struct Answer: Decodable {
    var prov: [String: Value]
  }

  /// What any key may have.
  private enum Value: Decodable {
    case integer(Int)
    case text(String)
    case list([Value])
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self =
        if let number = try? container.decode(Int.self) {
          .integer(number)
        } else if let text = try? container.decode(String.self) {
          .text(text)
        } else if let list = try? container.decode([Value].self) {
          .list(list)
        } else {
          .other
        }
    }

    var number: Int? { if case .integer(let number) = self { number } else { nil } }
    var texts: Set<String>? {
      guard case .list(let list) = self else { return nil }
      return Set(list.compactMap { if case .text(let text) = $0 { text } else { nil } })
    }
  }
}
