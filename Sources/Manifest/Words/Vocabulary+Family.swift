import Model

/// The keys of a family file.
extension Vocabulary {
  static let family = [
    "family", "title", "words", "service", "access", "pairing", "keeps_bond", "recognise", "identity",
    "settings", "characteristics",
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
    "type", "range", "bytes", "step", "values", "title", "short", "about", "optional", "shared", "written",
    "factory",
  ]
  static let choice = ["code", "meaning"]
  static let characteristic = ["uuid", "title", "holds", "response"]
  static let status = ["characteristic", "ready", "needs_ready", "saved", "refused"]
  static let save = ["characteristic", "write"]
  static let slowBy = ["setting", "search", "connect", "verify"]
}
