/// In JSON, a reason is one flat object: its code and its context.
extension FailureReason: Codable {
  private enum CodingKeys: String, CodingKey { case code }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try context.encode(to: encoder)
  }

  /// - Throws: `DecodingError` when context that the code requires is missing or invalid.
  package init(from decoder: any Decoder) throws {
    let code = try decoder.container(keyedBy: CodingKeys.self).decode(Code.self, forKey: .code)
    let context = try FailureContext(from: decoder)
    func invalid(_ key: Code.Key, _ problem: String) -> DecodingError {
      .dataCorrupted(
        .init(
          codingPath: decoder.codingPath + [key as any CodingKey],
          debugDescription: "the reason \(code.rawValue) \(problem)"))
    }
    let container = try decoder.container(keyedBy: Code.Key.self)
    for key in code.keys + Self.implied(code, context) {
      guard container.contains(key), try !container.decodeNil(forKey: key) else {
        throw DecodingError.keyNotFound(
          key,
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "the reason \(code.rawValue) requires \(key.rawValue), which is missing"))
      }
    }
    if let only = code.row.stage, let stage = context.stage, stage != only {
      throw invalid(.stage, "is possible in stage \(only.rawValue) only")
    }
    if code == .contradictorySightings, context.contradiction == nil {
      throw invalid(.sightings, "requires two sightings of one address")
    }
    self.init(code, context)
  }

  /// The parts that a context must have because of its other parts: a search has its length, other senders have their identity
  /// and RSSI.
  private static func implied(_ code: Code, _ context: FailureContext) -> [Code.Key] {
    switch code {
    case .neverReceived where context.stage != nil: [.seconds]
    case .adapterLost, .stackLost, .interrupted, .recordUnwritable:
      context.stage == .verify && context.addresses != nil ? [.identity, .candidates] : []
    default: []
    }
  }
}
