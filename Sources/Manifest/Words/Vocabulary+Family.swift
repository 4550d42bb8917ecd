import Model

/// The keys of a family file.
extension Vocabulary {
  static let family = [
    "family", "title", "words", "service", "access", "pairing", "keeps_bond", "recognise", "identity",
    "settings", "unlock", "characteristics",
    "read_first", "read_back", "status", "save", "proof", "timeouts", "slow_by",
  ]
  static let familyWords = [
    "noun", "make_it_wait", "still_waiting", "not_waiting", "label", "not_answering", "service_missing",
  ]
  static let rule = [
    "state", "name", "name_prefix", "service", "service_data", "manufacturer", "starts", "identity",
  ]
  static let identity = ["ibeacon", "manufacturer", "service_data", "starts", "parts", "trailing"]
  static let beaconParts = IdentityRule.beaconParts
  static let setting = [
    "type", "range", "bytes", "step", "values", "title", "short", "about", "optional", "shared", "secret",
    "written", "factory",
  ]
  static let choice = ["code", "meaning"]
  /// What a write consists of.
  static let contents = ["holds", "text", "json"]
  /// The parts of a packet besides settings.
  static let parts = ["padding", "length", "total", "check"]
  static let characteristic = ["uuid", "service", "title"] + contents + ["response", "answer"]
  static let unlock = ["characteristic", "service", "title"] + contents + ["response", "answer", "once"]
  static let status = ["characteristic", "service", "ready", "needs_ready", "saved", "refused"]
  static let save = ["characteristic", "service", "write"]
  static let slowBy = ["setting", "search", "connect", "verify"]
}
