import FoundationEssentials

/// The answer of `proto-ver`: JSON with product-defined parts, of which only `prov` counts (docs/protocols.md).
package struct EspVersion: Hashable, Sendable {
  /// 0, 1 or 2; nil if the firmware does not say, as before 2020.
  package let security: Int?
  /// Whether each message of security 2 has a nonce of its own.
  package let countsMessages: Bool
  /// Security 1 without a proof of possession.
  package let needsNoProof: Bool
  /// Whether `prov-scan` can be used.
  package let scansWiFi: Bool

  /// Total: firmware of IDF 3 answers with a plain text.
  package init(_ answer: [UInt8]) {
    let prov = (try? JSONDecoder().decode(Answer.self, from: Data(answer)))?.prov
    let capabilities = Set(prov?.cap ?? [])
    security = prov.map { $0.sec_ver ?? (capabilities.contains("no_sec") ? 0 : 1) }
    countsMessages = (prov?.sec_patch_ver ?? 0) >= 1
    needsNoProof = capabilities.contains("no_pop")
    scansWiFi = capabilities.contains("wifi_scan")
  }

  private struct Answer: Decodable {
    struct Provisioning: Decodable {
      var sec_ver: Int?
      var sec_patch_ver: Int?
      var cap: [String]?
    }

    var prov: Provisioning
  }
}
