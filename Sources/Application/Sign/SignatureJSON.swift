package import FoundationEssentials
package import Reporting

/// `roboprov report check --output json`: the result of a successful check.
package enum CheckJSON {
  package static func value(
    building: String, signature: String?, signed: Date?, files: [String]
  ) -> JSONValue {
    .values([
      "schema": "roboprov/check/1", "building": building, "signature": signature, "signed_at": signed,
      "files": files,
    ])
  }
}

/// `roboprov report sign --output json`: the signed files.
package enum SignatureJSON {
  package static func value(building: String, file: String, files: [String]) -> JSONValue {
    .values(["schema": "roboprov/signature/1", "building": building, "file": file, "files": files])
  }
}
