import Model
import Source
import YAML

struct Network {
  /// The place of its name, or of the first key of an inline network.
  var keyRange: SourceRange
  /// Nil when it is invalid, which has been reported.
  var ssid: (text: String, range: SourceRange)?
  /// Empty for an open network.
  var password: (secret: Secret, range: SourceRange)?
  /// Whether it does not send its name.
  var isHidden = false
}

/// The value of `wifi` in a room or in a scope.
enum WiFiChoice {
  case none
  case network(Network)
  /// It has been reported.
  case invalid
}

extension ManifestDecoder {
  /// Decodes the networks under `wifi`, by name.
  mutating func networks(_ node: YAMLNode) -> [String: Network] {
    if node.isNull { return [:] }
    guard
      let entries = entries(
        of: node, "`wifi` is a mapping of names to networks", advice: Self.networkAdvice)
    else { return [:] }
    var networks: [String: Network] = [:]
    for entry in entries {
      if entry.value.entries?.contains(where: { Vocabulary.network.contains($0.key) }) == true {
        show(entry.keyRange, of: entry.key)
      }
      if entry.value.entries == nil, Vocabulary.network.contains(entry.key) {
        show(entry.keyRange)
        hide(entry.value)
        error(
          .badNetworkName, "`\(entry.key)` is where a network's name is expected", at: entry.keyRange,
          advice: Self.networkAdvice)
        continue
      }
      if entry.key == "none" || entry.key.isEmpty {
        error(
          .badNetworkName, "a network cannot have this name", at: entry.keyRange,
          advice: "`none` means: no WiFi")
      }
      guard var network = network(entry.value) else { continue }
      network.keyRange = entry.keyRange
      warnOfOtherMeaning(key: entry)
      networks[entry.key] = network
    }
    return networks
  }

  private static let networkAdvice = "for example: wifi: { guests: { ssid: …, password: … } }"

  private mutating func network(_ node: YAMLNode) -> Network? {
    guard let fields = fields(of: node, "a network", known: Vocabulary.network, isWiFi: true) else {
      return nil
    }
    var network = Network(keyRange: fields.head)
    // The password comes first, so that an SSID equal to the password is hidden.
    if let node = fields["password"] {
      network.password = password(node).map { ($0, node.range) }
    } else {
      network.password = (Secret(""), fields.head)
    }
    if let node = fields["ssid"] {
      if let text = plainText(node, "ssid") { network.ssid = (text, node.range) }
    } else {
      error(
        .missingKey, "a network without `ssid`", at: fields.head,
        advice: "give it the network's name, as phones show it")
    }
    if let node = fields["hidden"] {
      network.isHidden = truth(node, "hidden", "`true`: the network does not send its name") ?? false
    }
    return network
  }

  /// Decodes `wifi` of a room or a scope. Nil when it is invalid, which has been reported.
  mutating func choice(_ node: YAMLNode, of networks: [String: Network]) -> WiFiChoice? {
    if node.entries != nil {
      guard let network = network(node) else { return nil }
      check([":": network])
      return .network(network)
    }
    guard let name = node.text, !node.isNull else {
      return refused(
        .wrongStructure, "`wifi` takes a network's name, an inline network or `none`", at: node.range,
        advice: "for no WiFi: wifi: none")
    }
    if name == "none" {
      show(node.range)
      return WiFiChoice.none
    }
    if let network = networks[name] {
      warnOfOtherMeaning(node, "wifi")
      show(node.range, of: name)
      return .network(network)
    }
    // The text may be a password in the wrong place. It is shown only when it is similar to the name of a
    // network.
    if findings.count > DiagnosticFormatter.maximumFindings {
      // This finding is not shown, and the search for a similar name is slow.
      return refused(.unknownNetwork, "no network under `wifi` has this name", at: node.range)
    }
    let known = networkNames ?? networks.keys.filter { presentable($0) != nil }.sorted()
    networkNames = known
    // A network that was added later may have this name as its password.
    let nearest = nearest(to: name, of: known).flatMap { presentable($0) }
    if nearest != nil { show(node.range) }
    let advice =
      if let nearest { "did you mean `\(nearest)`?" } else if known.isEmpty {
        "there is none; describe it under `wifi:` at the top"
      } else {
        "known networks: \(Array(known.prefix(20).filter { presentable($0) != nil }.prefix(10)).listed)"
      }
    return refused(.unknownNetwork, "no network under `wifi` has this name", at: node.range, advice: advice)
  }
}
